package media

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"mindroom/internal/store/storetest"
)

// fullDisk is a file whose disk is full after some bytes, or when it is flushed.
type fullDisk struct {
	*os.File
	room int
}

func (f *fullDisk) Write(p []byte) (int, error) {
	if len(p) > f.room {
		n, err := f.File.Write(p[:f.room])
		return n, errors.Join(err, &os.PathError{Op: "write", Path: f.Name(), Err: syscall.ENOSPC})
	}
	f.room -= len(p)
	return f.File.Write(p)
}

func (f *fullDisk) Sync() error {
	if f.room == 0 {
		return &os.PathError{Op: "sync", Path: f.Name(), Err: syscall.ENOSPC}
	}
	return f.File.Sync()
}

// Invariant 4: a full disk is told as one, leaves nothing, and what fits later
// is kept.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "media")
	s, err := Open(Options{Folder: folder, DB: storetest.Open(t, Schema)})
	if err != nil {
		t.Fatal(err)
	}
	whole := s.spool
	for _, room := range []int{0, 10, 100} { // 100: everything is written and cannot be flushed
		s.spool = func(dir string) (spooled, error) {
			f, err := os.CreateTemp(dir, spoolPattern)
			return &fullDisk{f, room}, err
		}
		_, err := s.Put(t.Context(), strings.NewReader(strings.Repeat("x", 100)), "", "notes.txt")
		if KindOf(err) != Full || !strings.Contains(err.Error(), "no space is left") || !strings.Contains(err.Error(), "notes.txt") {
			t.Errorf("with %d bytes of room: %v", room, err)
		}
		if left, err := filepath.Glob(filepath.Join(folder, "*")); err != nil || len(left) != 0 {
			t.Errorf("with %d bytes of room this is left: %v %v", room, left, err)
		}
	}
	s.spool = whole
	if _, err := s.Put(t.Context(), strings.NewReader("x"), "", ""); err != nil {
		t.Errorf("after space was freed: %v", err)
	}
}
