package memory

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"
	"unicode/utf8"
)

// Entrypoint is the file of the workspace that stands in the prompt; Folder
// holds the others.
const (
	Entrypoint = "MEMORY.md"
	Folder     = "memory"
)

// maxFile is the largest file of memory in bytes.
const maxFile = 1 << 20

// folder is a workspace, opened for one access.
type folder struct{ root *os.Root }

// open opens the workspace and makes it if need be.
func open(dir string) (*folder, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, failed("the workspace", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, failed("the workspace", err)
	}
	return &folder{root}, nil
}

func (f *folder) close() { _ = f.root.Close() } // only a directory handle

// regular opens a file that is one and no link to one; fs.ErrNotExist when
// there is none. O_NONBLOCK keeps a pipe that takes its place from holding the
// call.
func (f *folder) regular(name string) (*os.File, fs.FileInfo, error) {
	seen, err := f.root.Lstat(name)
	if err != nil {
		return nil, nil, err
	}
	if !seen.Mode().IsRegular() {
		return nil, nil, failf(Refused, "%s is no regular file: links, folders and pipes hold no memory", name)
	}
	file, err := f.root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err := file.Stat()
	if err == nil && !os.SameFile(seen, info) {
		err = failf(Changed, "%s was replaced meanwhile: try again", name)
	}
	if err != nil {
		return nil, nil, errors.Join(err, file.Close())
	}
	return file, info, nil
}

// read is a whole file, empty when there is none, and the mode for its next
// version.
func (f *folder) read(name string) (string, fs.FileMode, error) {
	file, info, err := f.regular(name)
	if errors.Is(err, fs.ErrNotExist) {
		return "", 0o600, nil
	}
	if err != nil {
		return "", 0, failed(name, err)
	}
	defer func() { _ = file.Close() }()
	raw, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	switch {
	case err != nil:
		return "", 0, failed(name, err)
	case len(raw) > maxFile:
		return "", 0, failf(Large, "%s has more than the %d bytes that are read of a file of memory: split it", name, maxFile)
	case bytes.IndexByte(raw, 0) >= 0 || !utf8.Valid(raw):
		return "", 0, failf(Refused, "%s is no UTF-8 text", name)
	}
	return string(raw), info.Mode().Perm(), nil
}
