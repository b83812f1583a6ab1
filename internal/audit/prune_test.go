package audit

import (
	"fmt"
	"testing"
	"time"

	"mindroom/internal/secret"
	"mindroom/internal/store"
	"mindroom/internal/store/storetest"
	"mindroom/internal/tool"
)

// Records go once they are old and their owner is gone, over several batches.
func TestPrune(t *testing.T) {
	t.Parallel()
	db := storetest.Open(t, Schema)
	var all []tool.AuditEntry
	for i := range pruneRows + 100 {
		owner := "script-gone"
		if i%3 == 0 {
			owner = "script-kept"
		}
		all = append(all, entry(t, owner, fmt.Sprint(i), map[string]any{}))
	}
	l := Log{Redactor: &secret.Redactor{}}
	err := db.Write(t.Context(), func(tx *store.Tx) error {
		for _, e := range all {
			if err := l.Record(tx, e); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	young := entry(t, "script-gone", "young", map[string]any{})
	young.At = at.Add(time.Hour)
	record(t, db, l, young)
	keep := func(_ store.Queryer, owner string) (bool, error) { return owner == "script-kept", nil }
	n, err := Prune(t.Context(), db, at.Add(time.Minute), keep)
	if err != nil || n != 400 {
		t.Errorf("%d records went, %v", n, err)
	}
	if got := of(t, db, "script-gone"); len(got) != 1 || got[0].Ref.ID != "young" {
		t.Errorf("left of the owner that is gone: %v", got)
	}
	if got := of(t, db, "script-kept"); len(got) != 200 {
		t.Errorf("%d records of the owner that is there", len(got))
	}
}

// A sequence is given once, whatever has gone.
func TestPruneKeepsTheNewest(t *testing.T) {
	t.Parallel()
	db := storetest.Open(t, Schema)
	l := Log{Redactor: &secret.Redactor{}}
	record(t, db, l, entry(t, "script-1", "a", map[string]any{}), entry(t, "script-1", "b", map[string]any{}))
	gone := func(store.Queryer, string) (bool, error) { return false, nil }
	if n, err := Prune(t.Context(), db, at.Add(time.Hour), gone); err != nil || n != 1 {
		t.Fatalf("%d, %v", n, err)
	}
	record(t, db, l, entry(t, "script-1", "c", map[string]any{}))
	if got := of(t, db, "script-1"); len(got) != 2 || got[0].Sequence != 2 || got[1].Sequence != 3 {
		t.Errorf("%+v", got)
	}
}
