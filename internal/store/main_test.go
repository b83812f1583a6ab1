package store

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	switch point := os.Getenv(childEnv); point {
	case "":
	case limitedDisk:
		limitedChild()
	default:
		crashChild(point)
	}
	goleak.VerifyTestMain(m)
}

// notes is the schema of these tests.
var notes = Schema{Name: "notes", Steps: []string{
	`CREATE TABLE notes (id TEXT PRIMARY KEY, body TEXT NOT NULL);
	 CREATE TABLE tags (note_id TEXT NOT NULL REFERENCES notes (id), tag TEXT NOT NULL)`,
}}

func openTest(tb testing.TB) *DB {
	tb.Helper()
	return openAt(tb, filepath.Join(tb.TempDir(), "test.db"))
}

func openAt(tb testing.TB, path string) *DB {
	tb.Helper()
	db, err := Open(context.Background(), path, notes)
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

func add(id, body string) func(*Tx) error {
	return func(tx *Tx) error {
		_, err := tx.Exec("INSERT INTO notes (id, body) VALUES ($1, $2)", id, body)
		return err
	}
}

func ids(tb testing.TB, db *DB) []string {
	tb.Helper()
	var out []string
	err := db.Read(context.Background(), func(r *Reader) error {
		out = nil
		return Each(r, func(rows *Rows) error {
			var id string
			if err := rows.Scan(&id); err != nil {
				return err
			}
			out = append(out, id)
			return nil
		}, "SELECT id FROM notes ORDER BY id")
	})
	if err != nil {
		tb.Fatal(err)
	}
	return out
}

// grouped runs the closures as one group: it holds the writer in a write of its
// own until all of them wait, and returns their results in order.
func grouped(tb testing.TB, db *DB, closures ...func(*Tx) error) []error {
	tb.Helper()
	reqs := make([]*request, len(closures))
	for i, fn := range closures {
		reqs[i] = &request{fn: fn, done: make(chan error, 1)}
	}
	// The group is handed over on the writer's own goroutine, from a hook, where
	// no transaction stands: exactly as if it had been taken from the queue.
	err := db.Write(context.Background(), func(tx *Tx) error {
		tx.AfterCommit(func() { db.runGroup(reqs) })
		return nil
	})
	if err != nil {
		tb.Fatal(err)
	}
	results := make([]error, len(reqs))
	for i, req := range reqs {
		results[i] = <-req.done
	}
	return results
}
