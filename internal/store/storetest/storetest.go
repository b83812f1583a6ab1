package storetest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"mindroom/internal/store"
)

// Open opens a fresh store with the schemas in a folder of the test, and closes
// it when the test ends.
func Open(tb testing.TB, schemas ...store.Schema) *store.DB {
	tb.Helper()
	return OpenAt(tb, filepath.Join(tb.TempDir(), "state.db"), schemas...)
}

// OpenAt is Open for a file of the caller's choice: one that an earlier store,
// by now closed or dead, left behind.
func OpenAt(tb testing.TB, path string, schemas ...store.Schema) *store.DB {
	tb.Helper()
	db, err := store.Open(context.Background(), path, schemas...)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := db.Close(); err != nil {
			tb.Error(err)
		}
	})
	return db
}

// Fsync appends 4 KiB and fsyncs, n times, in a file of its own under dir, and
// returns the median and the 99th percentile of one round. Print them beside
// what a benchmark of writes says: no store is faster than its disk.
func Fsync(dir string, n int) (p50, p99 time.Duration, err error) {
	f, err := os.CreateTemp(dir, "fsync-*")
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, f.Close(), os.Remove(f.Name())) }()
	page := make([]byte, 4096)
	took := make([]time.Duration, max(n, 1))
	for i := range took {
		start := time.Now()
		if _, err := f.Write(page); err != nil {
			return 0, 0, err
		}
		if err := f.Sync(); err != nil {
			return 0, 0, err
		}
		took[i] = time.Since(start)
	}
	slices.Sort(took)
	return took[len(took)/2], took[len(took)*99/100], nil
}
