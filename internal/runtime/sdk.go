package runtime

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"

	pythonsdk "mindroom/sdk/python"
)

// sdkTree is the Python package that is laid out beside each run. Until it was
// compiled for the interpreter it is the package as it is embedded, which costs
// a script a few milliseconds more.
type sdkTree struct{ compiled atomic.Pointer[fs.FS] }

// Open makes sdkTree an fs.FS.
func (t *sdkTree) Open(name string) (fs.File, error) {
	if f := t.compiled.Load(); f != nil {
		return (*f).Open(name)
	}
	return pythonsdk.Files().Open(name)
}

// compile lays the package out in the storage and compiles it. The start does
// not wait for it.
func (t *sdkTree) compile(ctx context.Context, storage, python string) error {
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
