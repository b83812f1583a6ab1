package tail

import (
	"errors"
	"fmt"
	"io"
)

// Writer is the only writer of one tail. It is not safe for use by several goroutines.
type Writer struct {
	f io.WriterAt
	h header
}

// Create lays an empty tail of size bytes out in f, all of it at once, so that a full disk is met now and not in the middle of a run.
func Create(f io.WriterAt, size int) (*Writer, error) {
	if size < 1 || size > maxSize {
		return nil, fmt.Errorf("tail of %d bytes: must lie between 1 and %d", size, maxSize)
	}
	w := &Writer{f: f, h: header{size: int64(size)}}
	blank := make([]byte, headerSize+size)
	head := w.h.encode()
	copy(blank, head[:])
	if _, err := f.WriteAt(blank, 0); err != nil {
		return nil, fmt.Errorf("lay out output tail: %w", err)
	}
	return w, nil
}

// Total counts all bytes ever written, kept or not.
func (w *Writer) Total() int64 { return w.h.done }

// Write appends p. On an error the bytes count as written, but what readers get for them is not defined.
func (w *Writer) Write(p []byte) (int, error) {
	keep, at := p, w.h.done
	if skip := int64(len(p)) - w.h.size; skip > 0 {
		keep, at = p[skip:], at+skip
	}
	w.h.begun = w.h.done + int64(len(p))
	errs := []error{w.putHeader()}
	for len(keep) > 0 {
		pos := at % w.h.size
		n := min(int64(len(keep)), w.h.size-pos)
		_, err := w.f.WriteAt(keep[:n], headerSize+pos)
		errs = append(errs, err)
		keep, at = keep[n:], at+n
	}
	w.h.done = w.h.begun
	if err := errors.Join(append(errs, w.putHeader())...); err != nil {
		return 0, fmt.Errorf("write output tail: %w", err)
	}
	return len(p), nil
}

func (w *Writer) putHeader() error {
	b := w.h.encode()
	_, err := w.f.WriteAt(b[:], 0)
	return err
}
