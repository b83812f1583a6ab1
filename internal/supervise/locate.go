package supervise

import (
	"fmt"
	"os"
	"path/filepath"
)

const (
	binaryName = "mindroom-supervise"
	// locateEnv names the binary's path where it does not lie beside the program: in tests.
	locateEnv = "MINDROOM_SUPERVISE"
)

// Locate returns the path of the supervisor's binary: $MINDROOM_SUPERVISE, else mindroom-supervise beside this program, symbolic links followed.
// It fails with KindNoSupervisor.
func Locate() (string, error) {
	path := os.Getenv(locateEnv)
	if path == "" {
		self, err := os.Executable()
		if err == nil {
			self, err = filepath.EvalSymlinks(self)
		}
		if err != nil {
			return "", &Error{Kind: KindNoSupervisor, Text: "cannot tell where this program lies; set " + locateEnv, Err: err}
		}
		path = filepath.Join(filepath.Dir(self), binaryName)
	}
	fi, err := os.Stat(path)
	if err != nil || !fi.Mode().IsRegular() || fi.Mode().Perm()&0o111 == 0 {
		return "", &Error{Kind: KindNoSupervisor, Text: fmt.Sprintf("no program %s; install %s beside mindroom, from the same build", path, binaryName), Err: err}
	}
	return path, nil
}
