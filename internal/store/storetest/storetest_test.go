package storetest

import (
	"testing"

	"go.uber.org/goleak"

	"mindroom/internal/store"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestOpen(t *testing.T) {
	t.Parallel()
	db := Open(t, store.Schema{Name: "s", Steps: []string{"CREATE TABLE a (x TEXT)"}})
	err := db.Write(t.Context(), func(tx *store.Tx) error { _, err := tx.Exec("INSERT INTO a VALUES ('1')"); return err })
	if err != nil {
		t.Error(err)
	}
}

func TestFsync(t *testing.T) {
	t.Parallel()
	p50, p99, err := Fsync(t.TempDir(), 10)
	if err != nil || p50 <= 0 || p99 < p50 {
		t.Errorf("Fsync = %v, %v, %v", p50, p99, err)
	}
	if _, _, err := Fsync(t.TempDir()+"/missing", 1); err == nil {
		t.Error("no error for a folder that is missing")
	}
}
