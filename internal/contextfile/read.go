package contextfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
	"unicode/utf8"
)

// MaxBytes is the largest file that is read.
const MaxBytes = 1 << 20

// File is one file, whole.
type File struct {
	// Path is as it was given, relative to the workspace.
	Path string
	Text string
}

// Read reads the files called names, relative to the workspace dir, in their order.
// One that is not there is left out, and so is one that cannot be read, with a fault
// that names it; without a workspace there are none. It makes nothing.
func Read(dir string, names []string) (files []File, faults []error) {
	if dir == "" || len(names) == 0 {
		return nil, nil
	}
	root, err := os.OpenRoot(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, []error{fmt.Errorf("open the workspace for its context files: %w", err)}
	}
	defer func() { _ = root.Close() }() // only a directory handle
	for _, name := range names {
		text, err := read(root, name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			faults = append(faults, fmt.Errorf("context file %s: %w", name, err))
		default:
			files = append(files, File{name, text})
		}
	}
	return files, faults
}

// read is one file. O_NONBLOCK keeps a pipe from holding the answer before it is
// recognised.
func read(root *os.Root, name string) (string, error) {
	file, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }() // nothing was written
	info, err := file.Stat()
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", errors.New("it is no regular file: name a text file")
	}
	raw, err := io.ReadAll(io.LimitReader(file, MaxBytes+1))
	switch {
	case err != nil:
		return "", err
	case len(raw) > MaxBytes:
		return "", fmt.Errorf("it has more than %d bytes: split it", MaxBytes)
	case bytes.IndexByte(raw, 0) >= 0 || !utf8.Valid(raw):
		return "", errors.New("it is no UTF-8 text: name a text file")
	}
	return string(raw), nil
}
