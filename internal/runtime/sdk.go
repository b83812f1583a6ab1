package runtime

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"

	pythonsdk "mindroom/sdk/python"
)

// sdkTree is the Python package that is laid out beside each run, and the
// interpreter that runs it. Until the package was compiled it is as it is
// embedded, and until the interpreter was found it is a command name: either
// costs a script a few milliseconds more.
type sdkTree struct {
	command     string
	compiled    atomic.Pointer[fs.FS]
	interpreter atomic.Pointer[string]
}

// python is the interpreter of local scripts, as far as it is known.
func (t *sdkTree) python() (string, error) {
	if path := t.interpreter.Load(); path != nil {
		return *path, nil
	}
	path, err := exec.LookPath(t.command)
	if err != nil {
		return "", fmt.Errorf("no Python interpreter %q: install Python 3.9 or newer, or name one with MINDROOM_PYTHON: %w", t.command, err)
	}
	return filepath.Abs(path)
}

// Open makes sdkTree an fs.FS.
func (t *sdkTree) Open(name string) (fs.File, error) {
	if f := t.compiled.Load(); f != nil {
		return (*f).Open(name)
	}
	return pythonsdk.Files().Open(name)
}

// prepare finds the interpreter, lays the package out in the storage and compiles
// it. The start does not wait for it.
func (t *sdkTree) prepare(ctx context.Context, storage string) error {
	python, err := pythonsdk.Interpreter(ctx, t.command)
	if err != nil {
		return err
	}
	t.interpreter.Store(&python)
	parent := filepath.Join(storage, "script_sdk")
	// What an earlier start left belongs to nobody: runs have copies of their own.
	if err := os.RemoveAll(parent); err != nil {
		return fmt.Errorf("script SDK: %w", err)
	}
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return fmt.Errorf("script SDK: %w", err)
	}
	if err := pythonsdk.Lay(parent); err != nil {
		return err
	}
	if err := pythonsdk.Precompile(ctx, python, parent); err != nil {
		return err
	}
	tree := os.DirFS(parent)
	t.compiled.Store(&tree)
	return nil
}
