package rundir

import (
	"fmt"
	"os"
	"path/filepath"
)

// The names in the folder.
const (
	lockName     = "lock"
	identityName = "supervisor.json"
	outputName   = "output"
	recordName   = "exit.json"
	crashName    = "supervisor.err"
)

// Dir is the path of a run's folder.
type Dir string

func (d Dir) path(name string) string { return filepath.Join(string(d), name) }

// Make makes the folder, 0700, when it is absent, and refuses one that others may enter.
func (d Dir) Make() error {
	if err := os.Mkdir(string(d), 0o700); err == nil || !os.IsExist(err) {
		return err
	}
	fi, err := os.Stat(string(d))
	if err != nil {
		return err
	}
	if !fi.IsDir() || fi.Mode().Perm()&0o077 != 0 {
		return fmt.Errorf("%s must be a folder with mode 0700, it is %s", d, fi.Mode())
	}
	return nil
}

// NewOutput makes the output's file; it fails with fs.ErrExist when the folder was used before.
func (d Dir) NewOutput() (*os.File, error) {
	return os.OpenFile(d.path(outputName), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
}

// OpenOutput opens the output's file for reading.
func (d Dir) OpenOutput() (*os.File, error) { return os.Open(d.path(outputName)) }

// NewCrash makes the file that takes a crashing supervisor's last words; it stays empty otherwise.
func (d Dir) NewCrash() (*os.File, error) {
	return os.OpenFile(d.path(crashName), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
}
