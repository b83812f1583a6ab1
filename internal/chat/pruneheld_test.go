package chat

import (
	"fmt"
	"testing"
	"time"

	"mindroom/internal/store"
	"mindroom/internal/store/storetest"
)

// Held events go when their key did not come for long enough, and only they; the
// room remembers, so that none of them is new again.
func TestPruneHeld(t *testing.T) {
	t.Parallel()
	db := storetest.Open(t, Schema)
	now := time.UnixMilli(2_000_000)
	j := NewJournal(db, func() time.Time { return now })
	record := func(events ...Event) {
		t.Helper()
		if err := db.Write(t.Context(), func(tx *store.Tx) error {
			_, err := j.RecordSync(tx, "@a:x", "", events)
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	held := func(id string, at int64) Event {
		return Event{EventID: id, Room: "!r:x", Sender: "@b:x", Type: "m.room.encrypted", OriginTS: at, State: EventHeld}
	}
	for i := range pruneRows + 5 {
		record(held(fmt.Sprintf("$old%d", i), int64(1000+i)))
	}
	record(held("$root", 1000), Event{EventID: "$in", Room: "!r:x", Type: typeMessage, OriginTS: 1001, Content: []byte(`{"m.relates_to":{"rel_type":"m.thread","event_id":"$root"}}`)},
		Event{EventID: "$new", Room: "!r:x", Type: typeMessage, OriginTS: 1000}, held("$ahead", 9_000_000))
	now = now.Add(time.Hour)
	record(held("$young", 2_000_000), held("$last", 1000))
	n, err := j.PruneHeld(t.Context(), time.UnixMilli(3_000_000))
	if err != nil || n != pruneRows+5 {
		t.Fatalf("%d went, %v", n, err)
	}
	if err := db.Read(t.Context(), func(r *store.Reader) error {
		for _, id := range []string{"$root", "$in", "$new", "$ahead", "$young", "$last"} {
			if _, found, err := j.Find(r, "@a:x", id); err != nil || !found {
				t.Errorf("%s is gone, %v", id, err)
			}
		}
		through, err := j.Forgotten(r, "@a:x", "!r:x")
		if through != int64(1000+pruneRows+4) {
			t.Errorf("the room remembers %d", through)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if n, err := j.PruneHeld(t.Context(), time.UnixMilli(3_000_000)); err != nil || n != 0 {
		t.Errorf("the second time %d went, %v", n, err)
	}
}
