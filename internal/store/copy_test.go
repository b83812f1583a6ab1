package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// A copy is one committed state, made while the original is written.
func TestCopy(t *testing.T) {
	t.Parallel()
	db := openTest(t)
	if err := db.Write(t.Context(), add("first", "x")); err != nil {
		t.Fatal(err)
	}
	stop, stopped := make(chan struct{}), make(chan error, 1)
	go func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				stopped <- nil
				return
			default:
			}
			// Both or neither: a copy that has one of a pair saw half a commit.
			err := db.Write(t.Context(), func(tx *Tx) error {
				return errors.Join(add(fmt.Sprintf("n%05d", i), "x")(tx), add(fmt.Sprintf("n%05d'", i), "x")(tx))
			})
			if err != nil {
				stopped <- err
				return
			}
		}
	}()
	for i := range 5 {
		to := filepath.Join(t.TempDir(), "odd ?#'%20 copy.db")
		if err := Copy(t.Context(), db.Path(), to); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(to)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%v, %v", info, err)
		}
		copied := openAt(t, to)
		got := ids(t, copied)
		if len(got)%2 != 1 || !slices.Contains(got, "first") {
			t.Errorf("copy %d has %d notes", i, len(got))
		}
	}
	close(stop)
	if err := <-stopped; err != nil {
		t.Fatal(err)
	}
	if err := Copy(t.Context(), db.Path(), db.Path()); !errors.Is(err, os.ErrExist) {
		t.Errorf("over itself: %v", err)
	}
	missing := filepath.Join(t.TempDir(), "to.db")
	if err := Copy(t.Context(), filepath.Join(t.TempDir(), "no.db"), missing); err == nil {
		t.Error("nothing was copied, and nobody says so")
	}
	if _, err := os.Stat(missing); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("half a copy is left: %v", err)
	}
}

// Who has the lock keeps a writer out, and the other way round.
func TestLock(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "m.db")
	release, err := Lock(path)
	if err != nil {
		t.Fatal(err)
	}
	var locked *LockedError
	if _, err := Open(t.Context(), path, notes); !errors.As(err, &locked) {
		t.Errorf("opened under the lock: %v", err)
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
	db := openAt(t, path)
	if _, err := Lock(db.Path()); !errors.As(err, &locked) || locked.PID != os.Getpid() {
		t.Errorf("locked under the writer: %v", err)
	}
}
