package launcher

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	must(t, Check(t.Context(), os.Getenv(locateEnv)))
	silent := filepath.Join(t.TempDir(), Name)
	must(t, os.WriteFile(silent, []byte("#!/bin/sh\nexit 3\n"), 0o700))
	for path, want := range map[string]string{otherBuild: `is build "other", and mindroom is build "dev"`, silent: "does not say its build"} {
		var e *Error
		if err := Check(t.Context(), path); !errors.As(err, &e) || e.Kind != KindOtherBuild || !strings.Contains(e.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// TestAnotherProgram changes the environment of the process, and so does not run beside others.
func TestAnotherProgram(t *testing.T) {
	storage := t.TempDir()
	for path, want := range map[string]Kind{otherBuild: KindOtherBuild, filepath.Join(storage, "none"): KindMissing, storage: KindMissing} {
		t.Setenv(locateEnv, path)
		var e *Error
		if dir, err := Lay(storage); dir != "" || !errors.As(err, &e) || e.Kind != want {
			t.Errorf("%s: %q, %v; want %s", path, dir, err, want)
		}
		if _, err := os.Stat(filepath.Join(storage, Folder)); !os.IsNotExist(err) {
			t.Errorf("%s: something was laid: %v", path, err)
		}
	}
	// Beside the program: this test has none there.
	t.Setenv(locateEnv, "")
	if _, err := Locate(); err == nil || !strings.Contains(err.Error(), Name) {
		t.Errorf("located: %v", err)
	}
}
