package memory

import (
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
)

// spooled is the next version of a file while it is written.
type spooled interface {
	io.WriteCloser
	Chmod(fs.FileMode) error
	Sync() error
}

func create(root *os.Root, name string) (spooled, error) {
	return root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
}

// replace puts text in place of a file's: into a new file beside it first, which
// takes its name once it is on the disk.
func (k *Keeper) replace(f *folder, name, text string, mode fs.FileMode) error {
	if len(text) > maxFile {
		return failf(Large, "%s would have more than %d bytes: delete what is no longer true, or move some of it into another file", name, maxFile)
	}
	next := path.Join(path.Dir(name), "."+rand.Text()+".part")
	file, err := k.create(f.root, next)
	if err != nil {
		return failed(name, err)
	}
	_, err = io.WriteString(file, text)
	if err == nil {
		err = file.Chmod(mode)
	}
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err == nil {
		err = f.root.Rename(next, name)
	}
	if err != nil {
		return failed(name, errors.Join(err, f.root.Remove(next)))
	}
	return failed(name, f.flush(path.Dir(name)))
}

// flush makes a new name in a folder durable.
func (f *folder) flush(name string) error {
	dir, err := f.root.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
