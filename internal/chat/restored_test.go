package chat

import (
	"testing"
	"time"

	"mindroom/internal/store"
)

// A restored outbox sends no edit in progress, and the rest under the transaction
// ids it had, unless the homeserver says that it was sent.
func TestRestoredOutbox(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	b.enqueue(t, message("shown", roomA, "x"))
	b.next(t)
	b.sent(t, "shown", "$shown")
	b.progress(t, roomA, "shown", "half of it")
	b.enqueue(t, message("was sent", roomA, "x"))
	b.enqueue(t, message("was not", roomB, "x"))
	txn := b.get(t, "was sent").TxnID
	b.write(t, func(tx *store.Tx) error { return Restore(tx, b.now) })
	b.write(t, func(tx *store.Tx) error { _, err := b.outbox.Echo(tx, bot, txn, "$sent"); return err })
	due := b.next(t)
	if len(due) != 1 || due[0].ID != "was not" {
		t.Errorf("due: %+v", due)
	}
	if d := b.get(t, "was sent"); d.State != Sent || d.EventID != "$sent" || d.TxnID != txn {
		t.Errorf("%+v", d)
	}
}

// Whether an account has heard what was said since, and whether it has spoken.
func TestRestoredJournal(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	restored := func() (at int64, heard bool) {
		t.Helper()
		err := b.db.Read(t.Context(), func(r *store.Reader) (err error) {
			at, heard, err = b.journal.Restored(r, bot)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return at, heard
	}
	is := func(when string, wantAt int64, wantHeard bool) {
		t.Helper()
		if at, heard := restored(); at != wantAt || heard != wantHeard {
			t.Errorf("%s: %d, heard %v", when, at, heard)
		}
	}
	is("an account that never synced", 0, true)
	b.record(t, "one", b.said("$a", roomA, ""))
	is("an ordinary one", 0, true)
	b.now = b.now.Add(time.Hour)
	at := b.now.UnixMilli()
	b.write(t, func(tx *store.Tx) error { return Restore(tx, b.now) })
	is("just restored", at, false)
	b.now = b.now.Add(time.Second)
	mine := func(id, relations string) Event {
		e := b.said(id, roomA, relations)
		e.Sender = bot
		return e
	}
	sealed := mine("$sealed", thread("$c"))
	sealed.Type, sealed.State = "m.room.encrypted", EventHeld
	b.record(t, "two", b.said("$b", roomA, ""), b.said("$c", roomA, ""), b.said("$d", roomA, ""), mine("$edit", editOf("$x")),
		mine("$answer", thread("$b")), sealed, mine("$other", thread("$elsewhere")))
	is("heard", at, true)
	err := b.db.Read(t.Context(), func(r *store.Reader) error {
		for id, want := range map[string]bool{"$b": true, "$c": true, "$d": false, "$answer": false} {
			e, _, err := b.journal.Find(r, bot, id)
			if err != nil {
				return err
			}
			root := id
			if id == "$answer" {
				root = "$b"
			}
			if spoke, err := b.journal.SpokeAfter(r, e, root); err != nil || spoke != want {
				t.Errorf("after %s: %v, %v", id, spoke, err)
			}
		}
		// In the room itself it only edited.
		e, _, err := b.journal.Find(r, bot, "$a")
		if err != nil {
			return err
		}
		if spoke, err := b.journal.SpokeAfter(r, e, ""); err != nil || spoke {
			t.Errorf("in the room: %v, %v", spoke, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// What was heard in the millisecond of the restore itself was heard before it.
func TestRestoredInTheSameMillisecond(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	b.now = b.now.Truncate(time.Millisecond).Add(300 * time.Microsecond)
	b.record(t, "one", b.said("$a", roomA, ""))
	b.now = b.now.Add(200 * time.Microsecond)
	b.write(t, func(tx *store.Tx) error { return Restore(tx, b.now) })
	heard := func() (heard bool) {
		err := b.db.Read(t.Context(), func(r *store.Reader) (err error) {
			_, heard, err = b.journal.Restored(r, bot)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return heard
	}
	if heard() {
		t.Error("what came before the restore counts as heard since")
	}
	b.now = b.now.Add(100 * time.Microsecond)
	b.record(t, "two", b.said("$b", roomA, ""))
	if !heard() {
		t.Error("what came after it in the same millisecond does not count")
	}
}
