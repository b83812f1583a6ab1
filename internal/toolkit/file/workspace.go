package file

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"mindroom/internal/tool"
)

// workspace is the agent's folder, opened for one call.
type workspace struct {
	dir  string
	root *os.Root
	in   tool.Invocation // the call it was opened for
}

func failf(format string, args ...any) *tool.Fault {
	return tool.Faultf(tool.FaultTool, format, args...)
}

// open makes the folder if it is not there yet. An agent without one has
// nowhere to keep files.
func open(dir string) (*workspace, error) {
	if dir == "" {
		return nil, failf("this agent has no workspace here, so it has no files")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, failf("the workspace cannot be made: %v", reason(err))
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, failf("the workspace cannot be opened: %v", reason(err))
	}
	return &workspace{dir: dir, root: root}, nil
}

func (w *workspace) close() { w.root.Close() } //nolint:errcheck // only a directory handle

// local makes a name relative to the workspace. An absolute path into the
// workspace is taken too, because shells show such paths.
func (w *workspace) local(name string) (string, *tool.Fault) {
	if strings.ContainsRune(name, 0) || name == "" {
		return "", tool.Faultf(tool.FaultArguments, "a file name must not be empty and hold no NUL character")
	}
	clean := filepath.Clean(name)
	if filepath.IsAbs(clean) {
		rel, err := filepath.Rel(filepath.Clean(w.dir), clean)
		if err != nil {
			rel = ".."
		}
		clean = rel
	}
	if !filepath.IsLocal(clean) {
		return "", failf("%s is outside the workspace; use a path relative to it", name)
	}
	return clean, nil
}

// regular opens a file for reading and tells its size. O_NONBLOCK keeps a pipe
// from holding the call before it is recognised.
func (w *workspace) regular(name string) (*os.File, int64, *tool.Fault) {
	f, err := w.root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, 0, explain(name, err)
	}
	info, err := f.Stat()
	switch {
	case err != nil:
		f.Close()
		return nil, 0, explain(name, err)
	case info.IsDir():
		f.Close()
		return nil, 0, failf("%s is a directory; list_files shows what is in it", name)
	case !info.Mode().IsRegular():
		f.Close()
		return nil, 0, failf("%s is no regular file", name)
	}
	return f, info.Size(), nil
}

// explain says what a failed access means.
func explain(name string, err error) *tool.Fault {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return failf("there is no %s in the workspace; list_files and search_files show what there is", name)
	case errors.Is(err, fs.ErrPermission):
		return failf("%s may not be accessed: permission denied", name)
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return failf("%s was not written: no space is left", name)
	}
	return failf("%s cannot be accessed: %v", name, reason(err))
}

// reason is an error without the operation and the full path around it.
func reason(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
