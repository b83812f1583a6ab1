package media

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"mindroom/internal/clock"
	"mindroom/internal/store"
)

// DefaultMax is the largest file in bytes that is kept unless an Options says
// otherwise.
const DefaultMax = 64 << 20

// Options are what a Store is opened with. Folder and DB are required.
type Options struct {
	// Folder is where the bytes lie; it is made with mode 0700.
	Folder string
	DB     *store.DB // opened with Schema
	Wall   clock.Wall
	// Max bounds one file in bytes; 0 means DefaultMax.
	Max int64
}

// Store keeps files. It may be used from several goroutines, by one process at
// a time.
type Store struct {
	Options
	// pruning is held while bytes are deleted, and shared while they are put, so
	// that what was just put is not deleted under its new row.
	pruning sync.RWMutex
	// spool makes the file that bytes are first written to.
	spool func(folder string) (spooled, error)
}

// spooled is a file while it is written.
type spooled interface {
	io.WriteCloser
	Sync() error
	Name() string
}

// Open opens a store and removes what a crash left half-written.
func Open(o Options) (*Store, error) {
	if o.Max == 0 {
		o.Max = DefaultMax
	}
	if err := os.MkdirAll(o.Folder, 0o700); err != nil {
		return nil, fmt.Errorf("the folder of media: %w", err)
	}
	halves, err := filepath.Glob(filepath.Join(o.Folder, spoolPattern))
	if err != nil {
		return nil, fmt.Errorf("the folder of media: %w", err)
	}
	for _, half := range halves {
		if err := os.Remove(half); err != nil {
			return nil, fmt.Errorf("half a file of media: %w", err)
		}
	}
	return &Store{Options: o, spool: func(folder string) (spooled, error) { return os.CreateTemp(folder, spoolPattern) }}, nil
}

// Put keeps the bytes of r and returns their name. claimed and name are what
// the file is said to be and may be empty. The file is nobody's until Own: it
// stays for an hour at least. The error is an *Error, of r, or ctx's.
func (s *Store) Put(ctx context.Context, r io.Reader, claimed, name string) (Ref, error) {
	name = CleanName(name)
	f, err := s.receive(ctx, r, name)
	if err != nil {
		return Ref{}, err
	}
	ref := Ref{Digest: f.digest, Size: f.size, MIME: TypeOf(f.head, claimed, name), Name: name}
	s.pruning.RLock()
	defer s.pruning.RUnlock()
	if err := s.shelve(f); err != nil {
		return Ref{}, failed(name, err)
	}
	err = s.DB.Write(context.WithoutCancel(ctx), func(tx *store.Tx) error {
		_, err := tx.Exec(`INSERT INTO media_files (digest, size, put_at) VALUES ($1, $2, $3)
			ON CONFLICT (digest) DO UPDATE SET put_at = excluded.put_at`, ref.Digest, ref.Size, s.Wall.Stamp())
		return err
	})
	if err != nil {
		// The bytes stay: another row may name them, and Prune knows what to do.
		return Ref{}, fmt.Errorf("keep media %q: %w", name, err)
	}
	return ref, nil
}
