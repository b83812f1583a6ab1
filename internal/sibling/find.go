package sibling

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Find is the path of the program called name: what the environment variable names,
// for tests, else the one beside this program, symbolic links followed. The error
// says what to install.
func Find(name, variable string) (string, error) {
	path := os.Getenv(variable)
	if path == "" {
		self, err := os.Executable()
		if err == nil {
			self, err = filepath.EvalSymlinks(self)
		}
		if err != nil {
			return "", fmt.Errorf("cannot tell where this program lies; set %s: %w", variable, err)
		}
		path = filepath.Join(filepath.Dir(self), name)
	}
	fi, err := os.Stat(path)
	if err == nil && (!fi.Mode().IsRegular() || fi.Mode().Perm()&0o111 == 0) {
		err = errors.New("it is no program")
	}
	if err != nil {
		return "", fmt.Errorf("no program %s; install %s beside mindroom, from the same build: %w", path, name, err)
	}
	return path, nil
}
