package tool

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// OpenFile opens a regular file of the call's workspace for reading. name is
// relative to the workspace, or an absolute path into it, because shells show
// such paths. No link leads out of the workspace. The caller closes the file.
func (in Invocation) OpenFile(name string) (*os.File, *Fault) {
	root, local, fault := in.root(name)
	if fault != nil {
		return nil, fault
	}
	defer func() { _ = root.Close() }()
	// O_NONBLOCK keeps a pipe from holding the call before it is recognised.
	f, err := root.OpenFile(local, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, Faultf(FaultTool, "there is no file %.200q in the workspace", name)
	}
	if err != nil {
		return nil, Faultf(FaultTool, "the file %.200q cannot be read", name)
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		_ = f.Close()
		return nil, Faultf(FaultTool, "%.200q is no regular file", name)
	}
	return f, nil
}

// CreateFile writes a new file of the call's workspace, with its folders, and
// returns its path there. It never replaces one; after an error none is left.
func (in Invocation) CreateFile(name string, data io.Reader) (string, *Fault) {
	root, local, fault := in.root(name)
	if fault != nil {
		return "", fault
	}
	defer func() { _ = root.Close() }()
	err := root.MkdirAll(filepath.Dir(local), 0o700)
	if err == nil {
		err = create(root, local, data)
	}
	switch {
	case errors.Is(err, fs.ErrExist):
		return "", Faultf(FaultTool, "%.200q exists already; choose another name", name)
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return "", Faultf(FaultTool, "%.200q was not written: no space is left", name)
	case err != nil:
		return "", Faultf(FaultTool, "%.200q cannot be written", name)
	}
	return local, nil
}

func create(root *os.Root, name string, data io.Reader) error {
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, data)
	if err := errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, root.Remove(name))
	}
	return nil
}

// root opens the workspace and makes name relative to it.
func (in Invocation) root(name string) (*os.Root, string, *Fault) {
	if in.Workspace == "" {
		return nil, "", Faultf(FaultTool, "this agent has no workspace here, so it has no files")
	}
	local := filepath.Clean(name)
	if filepath.IsAbs(local) {
		if rel, err := filepath.Rel(filepath.Clean(in.Workspace), local); err == nil {
			local = rel
		}
	}
	if name == "" || !filepath.IsLocal(local) {
		return nil, "", Faultf(FaultArguments, "%.200q is outside the workspace; use a path relative to it", name)
	}
	if err := os.MkdirAll(in.Workspace, 0o700); err != nil {
		return nil, "", Faultf(FaultTool, "the workspace cannot be made")
	}
	root, err := os.OpenRoot(in.Workspace)
	if err != nil {
		return nil, "", Faultf(FaultTool, "the workspace cannot be opened")
	}
	return root, local, nil
}
