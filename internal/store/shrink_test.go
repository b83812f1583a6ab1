package store

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

func size(t *testing.T, db *DB) (total int64) {
	t.Helper()
	for _, suffix := range []string{"", "-wal"} {
		info, err := os.Stat(db.Path() + suffix)
		if err != nil {
			t.Fatal(err)
		}
		total += info.Size()
	}
	return total
}

func fill(t *testing.T, db *DB) {
	t.Helper()
	for i := range 20 {
		err := db.Write(t.Context(), func(tx *Tx) error {
			for k := range 100 {
				if err := add(fmt.Sprint(i, " ", k), strings.Repeat("x", 2000))(tx); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func empty(t *testing.T, db *DB) {
	t.Helper()
	if err := db.Write(t.Context(), func(tx *Tx) error { _, err := tx.Exec("DELETE FROM notes"); return err }); err != nil {
		t.Fatal(err)
	}
}

// Invariant 8: the file and its log are small again, while somebody reads and
// afterwards.
func TestShrink(t *testing.T) {
	t.Parallel()
	db := openTest(t)
	begin := size(t, db)
	fill(t, db)
	full := size(t, db)
	empty(t, db)
	freed, err := db.Shrink(t.Context())
	if err != nil || freed < 3<<20 {
		t.Fatalf("Shrink freed %d bytes, %v", freed, err)
	}
	if now := size(t, db); now > begin+(1<<20) || full < 4<<20 {
		t.Errorf("%d bytes at first, %d full, %d at the end", begin, full, now)
	}
	if again, err := db.Shrink(t.Context()); err != nil || again != 0 {
		t.Errorf("a second time: %d, %v", again, err)
	}
}

// A reader who stays holds up nothing; what it holds is cut the next time.
func TestShrinkBesideAReader(t *testing.T) {
	t.Parallel()
	db := openTest(t)
	fill(t, db)
	err := db.Read(t.Context(), func(r *Reader) error {
		if err := r.QueryRow("SELECT count(*) FROM notes").Scan(new(int)); err != nil {
			return err
		}
		empty(t, db)
		_, err := db.Shrink(t.Context())
		if err != nil {
			return err
		}
		var n int
		if err := r.QueryRow("SELECT count(*) FROM notes").Scan(&n); err != nil || n != 2000 {
			t.Errorf("the reader sees %d notes, %v", n, err)
		}
		return db.Write(t.Context(), add("later", "x"))
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Shrink(t.Context()); err != nil {
		t.Fatal(err)
	}
	if now := size(t, db); now > 1<<20 {
		t.Errorf("%d bytes are left", now)
	}
}
