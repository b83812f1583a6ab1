package script

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"mindroom/internal/excerpt"
)

// MaxSource is the bound of a script's source in bytes (S23).
const MaxSource = 128 << 10

// Source is the snapshot of a program: its bytes never change after this.
type Source struct {
	Bytes  []byte
	Digest string
}

// InlineSource takes source given with the request.
func InlineSource(text string) (Source, error) {
	if !utf8.ValidString(text) {
		return Source{}, errorf(KindSource, "source is not valid UTF-8 text")
	}
	return newSource([]byte(text), "source")
}

// FileSource reads a file of the workspace. path is relative; an absolute path,
// a ".." component and a symbolic link anywhere in it are refused, and so is
// anything that is no regular file. Later edits change nothing (S22).
func FileSource(workspace, path string) (Source, error) {
	if path == "" || filepath.Clean(path) == "." {
		return Source{}, errorf(KindSource, "path is empty: name a file of the workspace, such as watch.py")
	}
	if filepath.IsAbs(path) {
		return Source{}, errorf(KindSource, "path %q is absolute: give it relative to the workspace", excerpt.Head(path, 200))
	}
	for _, part := range strings.Split(path, "/") {
		if part == ".." {
			return Source{}, errorf(KindSource, "path %q leaves the workspace: \"..\" is not allowed", excerpt.Head(path, 200))
		}
	}
	raw, err := readBeneath(workspace, path)
	if err != nil {
		return Source{}, err
	}
	return newSource(raw, "the file")
}

func newSource(raw []byte, what string) (Source, error) {
	if len(raw) == 0 {
		return Source{}, errorf(KindSource, "%s is empty: give a Python program", what)
	}
	if len(raw) > MaxSource {
		return Source{}, errorf(KindSource, "%s is over the limit of %d bytes (128 KiB); move data out of the program into workspace files", what, MaxSource)
	}
	sum := sha256.Sum256(raw)
	return Source{Bytes: raw, Digest: hex.EncodeToString(sum[:])}, nil
}

// readBeneath opens path under root without following any link and reads at
// most one byte more than the limit. The kernel resolves the path in one step,
// so that nothing can be swapped between a check and the open; a FIFO cannot
// hold the open, because it does not block.
func readBeneath(root, path string) ([]byte, error) {
	if err := os.MkdirAll(root, 0o700); err != nil {
		return nil, fmt.Errorf("workspace: %w", err)
	}
	dir, err := os.Open(root)
	if err != nil {
		return nil, fmt.Errorf("workspace: %w", err)
	}
	defer dir.Close()
	fd, err := unix.Openat2(int(dir.Fd()), path, &unix.OpenHow{
		Flags:   unix.O_RDONLY | unix.O_CLOEXEC | unix.O_NONBLOCK | unix.O_NOFOLLOW | unix.O_NOCTTY,
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS,
	})
	if err != nil {
		return nil, openRefusal(path, err)
	}
	f := os.NewFile(uintptr(fd), path)
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("path %q: %w", path, err)
	}
	if !info.Mode().IsRegular() {
		return nil, errorf(KindSource, "path %q is no regular file", excerpt.Head(path, 200))
	}
	raw, err := io.ReadAll(io.LimitReader(f, MaxSource+1))
	if err != nil {
		return nil, errorf(KindSource, "path %q cannot be read: %v", excerpt.Head(path, 200), err)
	}
	return raw, nil
}

func openRefusal(path string, err error) error {
	path = excerpt.Head(path, 200)
	switch {
	case errors.Is(err, unix.ELOOP):
		return errorf(KindSource, "path %q goes through a symbolic link, which is not followed: name the file itself", path)
	case errors.Is(err, unix.EXDEV):
		return errorf(KindSource, "path %q leaves the workspace", path)
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, unix.ENOTDIR):
		return errorf(KindSource, "path %q does not exist in the workspace", path)
	case errors.Is(err, unix.ENXIO):
		return errorf(KindSource, "path %q is no regular file", path)
	default:
		return errorf(KindSource, "path %q cannot be opened: %v", path, err)
	}
}
