package launcher

import (
	"bytes"
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// onlyOurs is the mode of the folder and of the program in it.
const onlyOurs fs.FileMode = 0o700

// private takes the folder from everybody else. What others could write is not trusted to be what it looks like.
func (p *place) private() error {
	if p.info.Mode().Perm() == onlyOurs {
		return nil
	}
	if err := p.root.Chmod(".", onlyOurs); err != nil {
		return err
	}
	if p.info.Mode().Perm()&0o022 == 0 {
		return nil
	}
	return p.root.RemoveAll(Name)
}

// alone removes whatever is not the program: another name in the folder would be a command of the agent's shells.
func (p *place) alone() error {
	entries, err := fs.ReadDir(p.root.FS(), ".")
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() == Name && e.Type().IsRegular() {
			continue
		}
		if err := p.root.RemoveAll(e.Name()); err != nil {
			return err
		}
	}
	return nil
}

// hold sees that the folder holds a copy of the program at from.
func (p *place) hold(from string) error {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer source.Close()
	wanted, err := source.Stat()
	if err != nil {
		return err
	}
	if found, err := p.root.Lstat(Name); err == nil && ours(found) {
		right := same(found, wanted)
		if !right && found.Size() == wanted.Size() {
			// A filesystem that keeps coarse times would have the program copied before every shell.
			if right, err = p.equal(source); err != nil {
				return err
			}
		}
		if right {
			if found.Mode() == onlyOurs {
				return nil
			}
			return p.root.Chmod(Name, onlyOurs)
		}
	}
	return p.replace(source, wanted)
}

// equal compares the copy with its source, byte by byte, and leaves source at its beginning.
func (p *place) equal(source *os.File) (bool, error) {
	have, err := p.root.ReadFile(Name)
	if err != nil {
		return false, err
	}
	want, err := io.ReadAll(source)
	if err != nil {
		return false, err
	}
	_, err = source.Seek(0, io.SeekStart)
	return bytes.Equal(have, want), err
}

// replace puts a fresh copy in the program's place. A crash leaves a file under another name, which the next look removes. It is not
// synced: what a power cut left half written is of another size or another content, and is laid anew.
func (p *place) replace(source io.Reader, like fs.FileInfo) error {
	fresh := "." + Name + "." + rand.Text()
	if err := p.write(fresh, source); err != nil {
		return errors.Join(err, p.root.RemoveAll(fresh))
	}
	if err := p.root.Chtimes(fresh, like.ModTime(), like.ModTime()); err != nil {
		return errors.Join(err, p.root.RemoveAll(fresh))
	}
	return p.root.Rename(fresh, Name)
}

func (p *place) write(name string, source io.Reader) error {
	// A process that is forked while the file is open for writing holds it open until it executes its own program, and a shell that
	// executes this one meanwhile would be told that it is busy.
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	f, err := p.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, onlyOurs)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, source)
	return errors.Join(err, f.Chmod(onlyOurs), f.Close()) // the process's mask may have taken from the mode
}

// ours tells whether a file belongs to the account of this process.
func ours(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}
