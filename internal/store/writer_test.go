package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mindroom/internal/lifecycle"
)

var errMine = errors.New("mine")

// Invariant 3.
func TestGroupIsolation(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		bad     func(*Tx) error
		wantErr func(error) bool
		want    []string
	}{
		"returned error": {func(tx *Tx) error { return errors.Join(add("bad", "x")(tx), errMine) },
			func(err error) bool { return errors.Is(err, errMine) }, []string{"a", "z"}},
		"panic": {func(tx *Tx) error { _ = add("bad", "x")(tx); panic("boom") },
			func(err error) bool { var p *lifecycle.PanicError; return errors.As(err, &p) }, []string{"a", "z"}},
		"unique": {func(tx *Tx) error { return errors.Join(add("bad", "x")(tx), add("a", "again")(tx)) },
			func(err error) bool { return errors.Is(err, ErrUnique) && !errors.Is(err, ErrConstraint) }, []string{"a", "z"}},
		"handled constraint goes on": {func(tx *Tx) error {
			if err := add("a", "again")(tx); !errors.Is(err, ErrUnique) {
				return fmt.Errorf("want ErrUnique, got %w", err)
			}
			return add("bad", "x")(tx)
		}, func(err error) bool { return err == nil }, []string{"a", "bad", "z"}},
		"foreign key": {func(tx *Tx) error {
			_, err := tx.Exec("INSERT INTO tags (note_id, tag) VALUES ($1, $2)", "nobody", "x")
			return err
		}, func(err error) bool { return errors.Is(err, ErrConstraint) }, []string{"a", "z"}},
		"bad SQL": {func(tx *Tx) error { _, err := tx.Exec("INSERT INTO nowhere VALUES (1)"); return err },
			func(err error) bool { var e *Error; return errors.As(err, &e) && e.Kind == Other }, []string{"a", "z"}},
		"ends the transaction": {func(tx *Tx) error { _, err := tx.Exec(" commit"); return err },
			func(err error) bool { return err != nil }, []string{"a", "z"}},
		"stores a bare time": {func(tx *Tx) error {
			_, err := tx.Exec("INSERT INTO notes VALUES ($1, $2)", "t", time.Now())
			return err
		},
			func(err error) bool { return err != nil }, []string{"a", "z"}},
		"leaves rows open": {func(tx *Tx) error {
			for range 3 { // the same statement, while its rows are open
				rows, err := tx.Query("SELECT id FROM notes")
				if err != nil || !rows.Next() {
					return fmt.Errorf("no row: %w", err)
				}
			}
			return add("bad", "x")(tx)
		}, func(err error) bool { return err == nil }, []string{"a", "bad", "z"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := openTest(t)
			results := grouped(t, db, add("a", "x"), c.bad, add("z", "x"))
			if results[0] != nil || results[2] != nil || !c.wantErr(results[1]) {
				t.Errorf("results = %v", results)
			}
			if got := ids(t, db); !slices.Equal(got, c.want) {
				t.Errorf("notes = %v, want %v", got, c.want)
			}
			if s := db.Stats(); s.LostGroups != 0 || s.LargestGroup < 2 {
				t.Errorf("the group was not committed as one: %+v", s)
			}
		})
	}
}

// Invariant 5, and that a hook may panic without harm.
func TestAfterCommit(t *testing.T) {
	t.Parallel()
	db := openTest(t)
	var order []string
	hook := func(name string, err error) func(*Tx) error {
		return func(tx *Tx) error {
			tx.AfterCommit(func() {
				order = append(order, name)
				if name == "second" {
					panic("boom")
				}
			})
			return errors.Join(add(name, "x")(tx), err)
		}
	}
	grouped(t, db, hook("first", nil), hook("failed", errMine), hook("second", nil), hook("third", nil))
	if err := db.Write(t.Context(), hook("fourth", nil)); err != nil {
		t.Fatal(err)
	}
	if want := []string{"first", "second", "third", "fourth"}; !slices.Equal(order, want) {
		t.Errorf("hooks ran as %v, want %v", order, want)
	}
}

// A commit that fails once costs a group nothing: each closure is run alone.
func TestCommitFailsOnce(t *testing.T) {
	t.Parallel()
	db := openTest(t)
	runs, failures := 0, 0
	results := grouped(t, db,
		func(tx *Tx) error {
			if runs++; runs == 1 { // armed only now: the write that carries the group has committed
				db.SetFault(func(p Point) error {
					if p == BeforeCommit && failures == 0 {
						failures++
						return ErrBusy
					}
					return nil
				})
			}
			return add("a", "x")(tx)
		},
		add("b", "x"))
	if results[0] != nil || results[1] != nil || runs != 2 {
		t.Errorf("results = %v, runs = %d", results, runs)
	}
	if got := ids(t, db); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("notes = %v", got)
	}
}

// A lone write whose commit fails is reported as failed, and is.
func TestLoneCommitFails(t *testing.T) {
	t.Parallel()
	db := openTest(t)
	db.SetFault(func(p Point) error {
		if p == BeforeCommit {
			return ErrBusy
		}
		return nil
	})
	if err := db.Write(t.Context(), add("a", "x")); !errors.Is(err, ErrBusy) {
		t.Errorf("Write = %v", err)
	}
	db.SetFault(nil)
	if err := db.Write(t.Context(), add("b", "x")); err != nil {
		t.Error(err)
	}
	if got := ids(t, db); !slices.Equal(got, []string{"b"}) {
		t.Errorf("notes = %v", got)
	}
}

// The context bounds the wait to be picked up and nothing after it.
func TestContextOfWrite(t *testing.T) {
	t.Parallel()
	db := openTest(t)
	ctx, cancel := context.WithCancel(t.Context())
	err := db.Write(ctx, func(tx *Tx) error {
		cancel()
		return add("a", "x")(tx)
	})
	if err != nil {
		t.Errorf("a write that was picked up was reported as %v", err)
	}
	if err := db.Write(ctx, add("b", "x")); err != nil && !errors.Is(err, context.Canceled) {
		t.Errorf("Write = %v", err)
	}
	picked, release := make(chan struct{}), make(chan struct{})
	g := lifecycle.New(t.Context())
	g.Go("holds the writer", func(context.Context) error {
		return db.Write(context.Background(), func(*Tx) error { close(picked); <-release; return nil })
	})
	<-picked
	if err := db.Write(ctx, add("c", "x")); !errors.Is(err, context.Canceled) {
		t.Errorf("a write that waits with an ended context = %v", err)
	}
	close(release)
	if err := g.Wait(); err != nil {
		t.Error(err)
	}
	if slices.Contains(ids(t, db), "c") {
		t.Error("a write reported as not begun took effect")
	}
}

// Writes that wait for one commit share the next, invariant 4 holds, and
// readers go on meanwhile (invariant 6).
func TestManyWriters(t *testing.T) {
	t.Parallel()
	db := openTest(t)
	const callers, each = 32, 20
	var wrong atomic.Int64
	var wg sync.WaitGroup
	for c := range callers {
		wg.Go(func() {
			for i := range each {
				id := fmt.Sprintf("%02d-%02d", c, i)
				if err := db.Write(context.Background(), add(id, "x")); err != nil {
					t.Error(err)
				}
				err := db.Read(context.Background(), func(r *Reader) error {
					var mine, all, again int
					if err := r.QueryRow("SELECT count(*) FROM notes WHERE id LIKE $1", fmt.Sprintf("%02d-%%", c)).Scan(&mine); err != nil {
						return err
					}
					if err := r.QueryRow("SELECT count(*) FROM notes").Scan(&all); err != nil {
						return err
					}
					if err := r.QueryRow("SELECT count(*) FROM notes").Scan(&again); err != nil {
						return err
					}
					if mine != i+1 || all != again {
						wrong.Add(1)
					}
					return nil
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	s := db.Stats()
	if s.Writes != callers*each || s.Commits >= s.Writes {
		t.Errorf("no grouping: %+v", s)
	}
	if wrong.Load() != 0 {
		t.Errorf("%d readers saw a state that never was", wrong.Load())
	}
}

func TestClose(t *testing.T) {
	t.Parallel()
	db := openTest(t)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if err := db.Write(t.Context(), add("a", "x")); !errors.Is(err, ErrClosed) {
		t.Errorf("Write = %v", err)
	}
	if err := db.Read(t.Context(), func(*Reader) error { return nil }); !errors.Is(err, ErrClosed) {
		t.Errorf("Read = %v", err)
	}
	if err := db.Close(); err != nil {
		t.Errorf("second Close = %v", err)
	}
}
