package store

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestOneProcess(t *testing.T) {
	t.Parallel()
	db := openTest(t)
	_, err := Open(t.Context(), db.Path(), notes)
	var locked *LockedError
	if !errors.As(err, &locked) || locked.PID != os.Getpid() {
		t.Errorf("second Open = %v", err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	openAt(t, db.Path())
}

func TestFilesAreOurs(t *testing.T) {
	t.Parallel()
	db := openAt(t, filepath.Join(t.TempDir(), "odd ?#%20 name.db"))
	if err := db.Write(t.Context(), add("a", "x")); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Dir(db.Path()) + "/*")
	if err != nil || len(files) < 3 {
		t.Fatalf("files = %v, %v", files, err)
	}
	for _, f := range files {
		info, err := os.Stat(f)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v", f, info.Mode())
		}
	}
}

// Settings that durability rests on.
func TestSettings(t *testing.T) {
	t.Parallel()
	db := openTest(t)
	err := db.Write(t.Context(), func(tx *Tx) error {
		for pragma, want := range map[string]string{"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1", "busy_timeout": "10000"} {
			var got string
			if err := tx.conn.sql.QueryRowContext(context.Background(), "PRAGMA "+pragma).Scan(&got); err != nil {
				return err
			}
			if got != want {
				t.Errorf("%s = %s, want %s", pragma, got, want)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Invariant 7.
func TestMigrate(t *testing.T) {
	t.Parallel()
	one, two := "CREATE TABLE a (x TEXT)", "ALTER TABLE a ADD COLUMN y TEXT; CREATE INDEX ay ON a (y)"
	base := []Schema{{Name: "s", Steps: []string{one}}}
	for name, c := range map[string]struct {
		schemas []Schema
		step    int // of the wanted SchemaError; 0: opens; -1: another error
	}{
		"the same again":  {base, 0},
		"one step more":   {[]Schema{{Name: "s", Steps: []string{one, two}}}, 0},
		"another package": {[]Schema{base[0], {Name: "t", Steps: []string{"CREATE TABLE b (x TEXT)"}}}, 0},
		"edited":          {[]Schema{{Name: "s", Steps: []string{one + " "}}}, 1},
		"older program":   {[]Schema{{Name: "s"}}, 1},
		"broken step":     {[]Schema{{Name: "s", Steps: []string{one, "CREATE TABLE b (x TEXT); NONSENSE"}}}, -1},
		"twice":           {[]Schema{base[0], base[0]}, -1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "test.db")
			for i, schemas := range [][]Schema{base, c.schemas} {
				db, err := Open(t.Context(), path, schemas...)
				if i == 1 && c.step != 0 {
					var se *SchemaError
					if err == nil || c.step > 0 && (!errors.As(err, &se) || se.Step != c.step) {
						t.Errorf("Open = %v", err)
					}
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				if err := db.Close(); err != nil {
					t.Fatal(err)
				}
			}
			db, err := OpenReadOnly(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			var tables []string
			err = db.Read(t.Context(), func(r *Reader) error {
				return Each(r, func(rows *Rows) error {
					var n string
					err := rows.Scan(&n)
					tables = append(tables, n)
					return err
				}, "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
			})
			if err := errors.Join(err, db.Close()); err != nil {
				t.Fatal(err)
			}
			if want := []string{"a", "schema_steps"}; name != "another package" && !slices.Equal(tables, want) {
				t.Errorf("tables = %v: a step that failed left something", tables)
			}
		})
	}
}

// A package that only a newer version has is no step of a known schema.
func TestKnown(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "test.db")
	db, err := Open(t.Context(), path, notes, Schema{Name: "later", Steps: []string{"CREATE TABLE later (x TEXT)"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = openAt(t, path)
	var newer *SchemaError
	if err := db.Known(t.Context(), notes); !errors.As(err, &newer) || newer.Schema != "later" {
		t.Errorf("Known = %v", err)
	}
	if err := db.Known(t.Context(), notes, Schema{Name: "later"}); !errors.As(err, &newer) || newer.Step != 1 {
		t.Errorf("a step more: %v", err)
	}
	if err := db.Known(t.Context(), notes, Schema{Name: "later", Steps: []string{"one", "two"}}, Schema{Name: "more"}); err != nil {
		t.Error(err)
	}
}

func TestReadBounds(t *testing.T) {
	t.Parallel()
	db := openTest(t)
	endless := "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
	ctx, cancel := context.WithCancel(t.Context())
	err := db.Read(ctx, func(r *Reader) error {
		cancel()
		return r.QueryRow(endless).Scan(new(int))
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("a read whose context ended = %v", err)
	}
	var kept *Reader
	if err := db.Read(t.Context(), func(r *Reader) error { kept = r; return errMine }); !errors.Is(err, errMine) {
		t.Errorf("Read = %v", err)
	}
	if err := kept.QueryRow("SELECT 1").Scan(new(int)); err == nil {
		t.Error("a reader works after its closure returned")
	}
	if err := db.Read(t.Context(), func(r *Reader) error { return r.QueryRow("SELECT id FROM notes").Scan(new(string)) }); !errors.Is(err, ErrNoRows) {
		t.Errorf("no row = %v", err)
	}
}
