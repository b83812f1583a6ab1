package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"mindroom/internal/store"
)

// database opens the installation's database for reading, which works beside a
// running MindRoom and without one. The caller closes it.
func (p *place) database(ctx context.Context, u *ui) (*store.DB, error) {
	dir, err := p.control(u)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, "mindroom.db")
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no database in %s: name the right --config or --storage-path", dir)
	}
	return store.OpenReadOnly(ctx, path)
}

// ofAnotherVersion adds what to do to an error of a database that does not have
// the tables this version reads.
func ofAnotherVersion(err error) error {
	var failed *store.Error
	if errors.As(err, &failed) && failed.Kind == store.Other {
		return fmt.Errorf("%w: if another version of mindroom wrote the database, start this version once, which brings it up to date", err)
	}
	return err
}
