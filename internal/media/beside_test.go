package media

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"mindroom/internal/lifecycle"
	"mindroom/internal/store"
	"mindroom/internal/store/storetest"
)

// Invariant 3: bytes are never deleted under a row that was just written, whatever
// is put and deleted side by side.
func TestPutBesidePrune(t *testing.T) {
	t.Parallel()
	var hours atomic.Int64
	s, err := Open(Options{Folder: filepath.Join(t.TempDir(), "media"), DB: storetest.Open(t, Schema),
		Wall: func() time.Time { return time.Now().Add(time.Duration(hours.Load()) * time.Hour) }})
	if err != nil {
		t.Fatal(err)
	}
	over := make(chan struct{})
	pruning, putting := lifecycle.New(t.Context()), lifecycle.New(t.Context())
	pruning.Go("prune", func(ctx context.Context) error {
		for {
			select {
			case <-over:
				return nil
			default:
			}
			if _, err := s.Prune(ctx, s.Wall.Now(), 0); err != nil {
				return err
			}
		}
	})
	for range 4 {
		putting.Go("put", func(ctx context.Context) error {
			for range 25 {
				hours.Add(2) // what the others put is old by now
				ref, err := s.Put(ctx, strings.NewReader("the same"), "", "")
				if err != nil {
					return err
				}
				if err := s.agree(ctx, ref); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := putting.Wait(); err != nil {
		t.Error(err)
	}
	close(over)
	if err := pruning.Wait(); err != nil {
		t.Error(err)
	}
}

// agree holds that bytes which have a row are there.
func (s *Store) agree(ctx context.Context, ref Ref) error {
	s.pruning.RLock()
	defer s.pruning.RUnlock()
	var rows int
	err := s.DB.Read(ctx, func(r *store.Reader) error {
		return r.QueryRow("SELECT count(*) FROM media_files WHERE digest = $1", ref.Digest).Scan(&rows)
	})
	if err != nil || rows == 0 {
		return err
	}
	if _, err := s.Load(ctx, ref); err != nil {
		return fmt.Errorf("a row names bytes that are not there: %w", err)
	}
	return nil
}
