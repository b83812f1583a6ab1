package script

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"mindroom/internal/identity"
	"mindroom/internal/lifecycle/step"
	"mindroom/internal/secret"
)

// folder is a run's own folder in the storage: source, capability, SDK, and the
// supervisor's files. It lies outside every workspace, where the agent's other
// tools do not look.
type folder string

func (m *Manager) folder(id identity.RunID) folder {
	return folder(filepath.Join(m.cfg.Folders, string(id)))
}

func (f folder) source() string     { return filepath.Join(string(f), "source.py") }
func (f folder) capability() string { return filepath.Join(string(f), "capability") }
func (f folder) sdk() string        { return filepath.Join(string(f), "sdk") }

// write lays the folder out. Everything is created exclusively, so that an
// existing file is never trusted. Nothing is synced: a local run never outlives
// the machine, and after a power loss the folder is only removed.
func (f folder) write(src Source, token secret.Value, sdk fs.FS) error {
	if err := os.MkdirAll(filepath.Dir(string(f)), 0o700); err != nil {
		return fmt.Errorf("run folder: %w", err)
	}
	if err := os.Mkdir(string(f), 0o700); err != nil {
		return fmt.Errorf("run folder: %w", err)
	}
	step.Reached(step.LaunchFolder)
	if err := writeNew(f.source(), src.Bytes); err != nil {
		return err
	}
	if err := writeNew(f.capability(), []byte(token.Reveal())); err != nil {
		return err
	}
	return fs.WalkDir(sdk, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		to := filepath.Join(f.sdk(), filepath.FromSlash(path))
		if d.IsDir() {
			return os.MkdirAll(to, 0o700)
		}
		raw, err := fs.ReadFile(sdk, path)
		if err != nil {
			return err
		}
		return writeNew(to, raw)
	})
}

// remove deletes the folder. A missing folder is success; links inside are
// removed and not followed.
func (f folder) remove() error {
	if err := os.RemoveAll(string(f)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return &folderError{err}
	}
	return nil
}

// folderError says that a run's folder could not be removed.
type folderError struct{ err error }

func (e *folderError) Error() string { return "run folder: " + e.err.Error() }
func (e *folderError) Unwrap() error { return e.err }

func writeNew(path string, raw []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("run folder: %w", err)
	}
	_, err = file.Write(raw)
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return fmt.Errorf("run folder: %s: %w", filepath.Base(path), err)
	}
	return nil
}
