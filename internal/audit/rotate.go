package audit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

const (
	// rotateBytes is how long the file grows, and rotateFiles how many older ones stay.
	rotateBytes = 10 << 20
	rotateFiles = 5
	// bufferBytes is how much is gathered before it is written.
	bufferBytes = 256 << 10
)

// rotated is a file of lines that each have a sequence. Only whole lines count: what is behind the last one is cut off before anything is appended.
type rotated struct {
	path string
	most int64
	keep int

	f    *os.File // nil: to be opened
	size int64    // of the whole lines that are surely in it
	// sequence is that of the last line that is in the file or gathered; written that of the last one surely in it.
	sequence, written int64
	gathered          []byte
}

// open opens the file, or makes it, and finds the last line. A file that somebody moved away or removed is made anew.
func (r *rotated) open() error {
	if r.f != nil {
		have, err := r.f.Stat()
		if err != nil {
			return r.broken(err)
		}
		if there, err := os.Lstat(r.path); err == nil && os.SameFile(have, there) && there.Size() == r.size {
			return nil
		}
		r.forget()
	}
	if err := os.MkdirAll(filepath.Dir(r.path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(r.path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	r.f = f
	last, size, err := lastLine(f)
	if err != nil {
		return r.broken(err)
	}
	if last == 0 {
		if last, err = r.lastOfOlder(); err != nil {
			return r.broken(err)
		}
	}
	// A torn line, or zeros where a power failure took what was written.
	if err := f.Truncate(size); err != nil {
		return r.broken(err)
	}
	r.size = size
	// A file that was emptied under us is not a reason to write everything again.
	r.written = max(last, r.written)
	r.sequence = r.written
	return nil
}

// lastOfOlder finds the last line of the newest older file that has one.
func (r *rotated) lastOfOlder() (int64, error) {
	for i := 1; i <= r.keep; i++ {
		f, err := os.Open(r.older(i))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return 0, err
		}
		last, _, err := lastLine(f)
		_ = f.Close() // it was only read
		if err != nil || last > 0 {
			return last, err
		}
	}
	return 0, nil
}

func (r *rotated) older(i int) string { return fmt.Sprintf("%s.%d", r.path, i) }

// lastLine finds the sequence of the last whole line, 0 when there is none, and where it ends.
func lastLine(f *os.File) (sequence, end int64, err error) {
	info, err := f.Stat()
	if err != nil {
		return 0, 0, err
	}
	size := info.Size()
	for span := int64(64 << 10); ; span *= 16 {
		from := max(size-span, 0)
		b := make([]byte, size-from)
		if _, err := f.ReadAt(b, from); err != nil && !errors.Is(err, io.EOF) {
			return 0, 0, err
		}
		for len(b) > 0 {
			stop := bytes.LastIndexByte(b, '\n')
			if stop < 0 {
				break
			}
			begin := bytes.LastIndexByte(b[:stop], '\n') + 1
			var l struct {
				Sequence int64 `json:"seq"`
			}
			if (begin > 0 || from == 0) && json.Unmarshal(b[begin:stop], &l) == nil && l.Sequence > 0 {
				return l.Sequence, from + int64(stop) + 1, nil
			}
			b = b[:begin]
		}
		if from == 0 {
			return 0, 0, nil
		}
	}
}

// append gathers a line. It is in the file after flush.
func (r *rotated) append(line []byte, sequence int64) error {
	if full := r.size + int64(len(r.gathered)); full > 0 && full+int64(len(line)) > r.most {
		if err := r.flush(); err != nil {
			return err
		}
		if err := r.rotate(); err != nil {
			return err
		}
	}
	if len(r.gathered) > bufferBytes {
		if err := r.flush(); err != nil {
			return err
		}
	}
	r.gathered = append(r.gathered, line...)
	r.sequence = sequence
	return nil
}

// flush writes what is gathered. After an error the file is opened anew, and what was not surely written is asked for again.
func (r *rotated) flush() error {
	if len(r.gathered) == 0 {
		return nil
	}
	if r.f == nil {
		return r.broken(fs.ErrClosed)
	}
	n, err := r.f.WriteAt(r.gathered, r.size)
	if err != nil {
		return r.broken(fmt.Errorf("write %s: %w", r.path, err))
	}
	r.size += int64(n)
	r.gathered, r.written = r.gathered[:0], r.sequence
	return nil
}

// broken forgets everything that is not surely in the file.
func (r *rotated) broken(err error) error {
	if r.f != nil {
		_ = r.f.Truncate(r.size) // half a line; if it stays, the next open cuts it off
	}
	r.forget()
	return err
}

func (r *rotated) forget() {
	if r.f != nil {
		_ = r.f.Close() // everything that counts was written before
	}
	r.f, r.size, r.gathered, r.sequence = nil, 0, r.gathered[:0], r.written
}

// rotate makes place: path becomes path.1, path.1 becomes path.2, and the oldest goes.
func (r *rotated) rotate() error {
	if err := r.f.Sync(); err != nil {
		return r.broken(err)
	}
	r.forget()
	for i := r.keep; i > 0; i-- {
		from := r.path
		if i > 1 {
			from = r.older(i - 1)
		}
		if err := os.Rename(from, r.older(i)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("rotate %s: %w", r.path, err)
		}
	}
	return r.open()
}

// close syncs and closes the file.
func (r *rotated) close() error {
	if r.f == nil {
		return nil
	}
	err := errors.Join(r.flush(), r.f.Sync(), r.f.Close())
	r.f = nil
	return err
}
