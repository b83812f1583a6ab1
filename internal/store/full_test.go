package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// limit lets the file grow by n pages and no more.
func limit(tb testing.TB, db *DB, n int) {
	tb.Helper()
	err := db.Write(context.Background(), func(tx *Tx) error {
		var pages int
		if err := tx.conn.sql.QueryRowContext(context.Background(), "PRAGMA page_count").Scan(&pages); err != nil {
			return err
		}
		return tx.conn.sql.QueryRowContext(context.Background(), fmt.Sprintf("PRAGMA max_page_count(%d)", pages+n)).Scan(&pages)
	})
	if err != nil {
		tb.Fatal(err)
	}
}

// A disk that is full in the middle of a group: invariants 2 and 3.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	big := strings.Repeat("x", 100*4096)
	tooMuch := add("big", big)
	ignored := func(tx *Tx) error { // looks away, goes on
		_ = tooMuch(tx)
		_ = add("after", "x")(tx)
		return nil
	}
	full := func(err error) bool { return errors.Is(err, ErrFull) }
	fine := func(err error) bool { return err == nil }
	for name, c := range map[string]struct {
		group []func(*Tx) error
		want  []string
		errs  []func(error) bool
	}{
		"first":  {[]func(*Tx) error{tooMuch, add("b", "x"), add("c", "x")}, []string{"b", "c"}, []func(error) bool{full, fine, fine}},
		"middle": {[]func(*Tx) error{add("a", "x"), tooMuch, add("c", "x")}, []string{"a", "c"}, []func(error) bool{fine, full, fine}},
		"last":   {[]func(*Tx) error{add("a", "x"), add("b", "x"), tooMuch}, []string{"a", "b"}, []func(error) bool{fine, fine, full}},
		"alone":  {[]func(*Tx) error{tooMuch}, nil, []func(error) bool{full}},
		"half written before": {[]func(*Tx) error{add("a", "x"), func(tx *Tx) error {
			return errors.Join(add("half", "x")(tx), tooMuch(tx))
		}, add("c", "x")}, []string{"a", "c"}, []func(error) bool{fine, full, fine}},
		"all": {[]func(*Tx) error{tooMuch, tooMuch}, nil, []func(error) bool{full, full}},
		// Whether the database gives up the statement or the transaction is its own
		// affair; in neither case may a later statement commit by itself.
		"ignored": {[]func(*Tx) error{add("a", "x"), ignored, add("c", "x")}, nil, []func(error) bool{fine, nil, fine}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := openTest(t)
			limit(t, db, 8)
			results := grouped(t, db, c.group...)
			for i, check := range c.errs {
				if check != nil && !check(results[i]) {
					t.Errorf("closure %d: %v", i, results[i])
				}
			}
			want := c.want
			if name == "ignored" {
				want = []string{"a", "c"}
				if results[1] == nil {
					want = []string{"a", "after", "c"}
				}
			}
			if got := ids(t, db); !slices.Equal(got, want) {
				t.Errorf("notes = %v, want %v", got, want)
			}
			limit(t, db, 1000) // room again: the store goes on without a restart
			if err := db.Write(t.Context(), tooMuch); err != nil {
				t.Errorf("with room again: %v", err)
			}
		})
	}
}

// A transaction that the database itself rolls back in the middle of a group,
// as it does on an interrupt or a failing disk. A trigger is the way to have it
// do so at a chosen place.
func TestLostTransaction(t *testing.T) {
	t.Parallel()
	lose := func(tx *Tx) error { return add("lose", "x")(tx) }
	for name, c := range map[string]struct {
		group []func(*Tx) error
		want  []string
		fails []bool
	}{
		"first":   {[]func(*Tx) error{lose, add("b", "x"), add("c", "x")}, []string{"b", "c"}, []bool{true, false, false}},
		"middle":  {[]func(*Tx) error{add("a", "x"), lose, add("c", "x")}, []string{"a", "c"}, []bool{false, true, false}},
		"last":    {[]func(*Tx) error{add("a", "x"), lose}, []string{"a"}, []bool{false, true}},
		"ignored": {[]func(*Tx) error{add("a", "x"), func(tx *Tx) error { _ = lose(tx); _ = add("stray", "x")(tx); return nil }, add("c", "x")}, []string{"a", "c"}, []bool{false, true, false}},
		"twice":   {[]func(*Tx) error{lose, add("b", "x"), lose}, []string{"b"}, []bool{true, false, true}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := openTest(t)
			err := db.Write(t.Context(), func(tx *Tx) error {
				_, err := tx.Exec(`CREATE TRIGGER lose BEFORE INSERT ON notes WHEN NEW.id = 'lose' BEGIN SELECT RAISE(ROLLBACK, 'gone'); END`)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			for i, err := range grouped(t, db, c.group...) {
				// The error is the database's own, also for a closure that did not look at it.
				if (err != nil) != c.fails[i] || err != nil && !errors.Is(err, ErrConstraint) {
					t.Errorf("closure %d: %v", i, err)
				}
			}
			if got := ids(t, db); !slices.Equal(got, c.want) {
				t.Errorf("notes = %v, want %v", got, c.want)
			}
			if db.Stats().LostGroups != 1 {
				t.Errorf("the group was not run again: %+v", db.Stats())
			}
		})
	}
}

func TestReadOnlyFile(t *testing.T) {
	t.Parallel()
	db := openTest(t)
	if err := db.Write(t.Context(), add("a", "x")); err != nil {
		t.Fatal(err)
	}
	ro, err := OpenReadOnly(t.Context(), db.Path())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := ro.Close(); err != nil {
			t.Error(err)
		}
	}()
	if err := db.Write(t.Context(), add("b", "x")); err != nil { // beside an open reader
		t.Fatal(err)
	}
	if got := ids(t, ro); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("the reader sees %v", got)
	}
	if err := ro.Write(t.Context(), add("c", "x")); !errors.Is(err, ErrReadOnly) {
		t.Errorf("Write = %v", err)
	}
	err = ro.Read(t.Context(), func(r *Reader) error {
		_, err := r.Query("INSERT INTO notes (id, body) VALUES ('d', 'x')")
		return err
	})
	if !errors.Is(err, ErrReadOnly) {
		t.Errorf("a change through a reader = %v", err)
	}
	// The database turns read-only under the writer.
	err = db.Write(t.Context(), func(tx *Tx) error {
		_, err := tx.conn.sql.ExecContext(context.Background(), "PRAGMA query_only = 1")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Write(t.Context(), add("e", "x")); !errors.Is(err, ErrReadOnly) {
		t.Errorf("a write to a read-only file = %v", err)
	}
}

func TestDamagedFile(t *testing.T) {
	t.Parallel()
	path := t.TempDir() + "/test.db"
	if err := os.WriteFile(path, []byte(strings.Repeat("this is no database ", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), path, notes); !errors.Is(err, ErrCorrupt) {
		t.Errorf("Open = %v", err)
	}
}
