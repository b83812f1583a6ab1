package media

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"mindroom/internal/clock"
	"mindroom/internal/store"
)

// grace is how long a file without an owner stays: whoever put it is about to
// own it.
const grace = time.Hour

// Holder lists the digests that somebody still needs, whatever their age: a
// live turn, a delivery that was not sent.
type Holder func(q store.Queryer) (digests []string, err error)

// Prune deletes attachments that are older than retention now, but for those
// whose file is held, then files that are nobody's, and returns how many files
// went.
func (s *Store) Prune(ctx context.Context, now time.Time, retention time.Duration, holders ...Holder) (int, error) {
	s.pruning.Lock()
	defer s.pruning.Unlock()
	var gone []string
	err := s.DB.Write(ctx, func(tx *store.Tx) (err error) {
		gone, err = s.pruneRows(tx, now, retention, holders)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("prune media: %w", err)
	}
	var errs []error
	for _, digest := range gone {
		if err := os.Remove(s.path(digest)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	left, err := s.pruneStrays(ctx, now)
	if err := errors.Join(append(errs, err)...); err != nil {
		return len(gone) + left, fmt.Errorf("prune media: %w", err)
	}
	return len(gone) + left, nil
}

func (s *Store) pruneRows(tx *store.Tx, now time.Time, retention time.Duration, holders []Holder) ([]string, error) {
	held := map[string]bool{}
	for _, holder := range holders {
		digests, err := holder(tx)
		if err != nil {
			return nil, err
		}
		for _, d := range digests {
			held[d] = true
		}
	}
	type old struct{ id, digest string }
	var expired []old
	err := store.Each(tx, func(rows *store.Rows) error {
		var o old
		err := rows.Scan(&o.id, &o.digest)
		expired = append(expired, o)
		return err
	}, "SELECT attachment_id, coalesce(digest, '') FROM media_attachments WHERE created_at < $1", clock.Stamp(now.Add(-retention)))
	if err != nil {
		return nil, err
	}
	for _, o := range expired {
		if held[o.digest] {
			continue
		}
		if _, err := tx.Exec("DELETE FROM media_attachments WHERE attachment_id = $1", o.id); err != nil {
			return nil, err
		}
	}
	var nobodys []string
	err = store.Each(tx, func(rows *store.Rows) error {
		var digest string
		err := rows.Scan(&digest)
		if !held[digest] {
			nobodys = append(nobodys, digest)
		}
		return err
	}, `SELECT digest FROM media_files f WHERE put_at < $1
		AND NOT EXISTS (SELECT 1 FROM media_attachments a WHERE a.digest = f.digest)`, clock.Stamp(now.Add(-grace)))
	if err != nil {
		return nil, err
	}
	for _, digest := range nobodys {
		if _, err := tx.Exec("DELETE FROM media_files WHERE digest = $1", digest); err != nil {
			return nil, err
		}
	}
	return nobodys, nil
}

// pruneStrays deletes files that no row names: a process died between the file
// and its row, or between a row's end and its file's.
func (s *Store) pruneStrays(ctx context.Context, now time.Time) (int, error) {
	files, err := filepath.Glob(filepath.Join(s.Folder, "??", "*"))
	if err != nil || len(files) == 0 {
		return 0, err
	}
	known := map[string]bool{}
	err = s.DB.Read(ctx, func(r *store.Reader) error {
		return store.Each(r, func(rows *store.Rows) error {
			var digest string
			err := rows.Scan(&digest)
			known[digest] = true
			return err
		}, "SELECT digest FROM media_files")
	})
	if err != nil {
		return 0, err
	}
	n := 0
	var errs []error
	for _, path := range files {
		info, err := os.Lstat(path)
		if known[filepath.Base(path)] || err != nil || now.Sub(info.ModTime()) < grace {
			continue
		}
		if err := os.Remove(path); err != nil {
			errs = append(errs, err)
			continue
		}
		n++
	}
	return n, errors.Join(errs...)
}
