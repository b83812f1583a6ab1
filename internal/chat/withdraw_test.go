package chat

import (
	"errors"
	"testing"

	"mindroom/internal/store"
)

// What nobody began to send never goes out; what may be in the room stays.
func TestWithdraw(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	withdraw := func(id string, want bool) {
		t.Helper()
		b.write(t, func(tx *store.Tx) error {
			got, err := b.outbox.Withdraw(tx, id)
			if got != want {
				t.Errorf("%s: withdrawn is %v", id, got)
			}
			return err
		})
	}
	b.enqueue(t, message("first", roomA, "x"))
	b.enqueue(t, message("second", roomA, "y"))
	b.enqueue(t, message("third", roomA, "z"))
	withdraw("second", true)
	withdraw("second", false)
	b.next(t)
	withdraw("first", false)
	b.sent(t, "first", "$1")
	withdraw("first", false)
	if due := b.next(t); len(due) != 1 || due[0].ID != "third" {
		t.Errorf("next goes out %+v", due)
	}
	// Tried once and queued again: it may have arrived.
	if err := b.outbox.Release(t.Context(), bot); err != nil {
		t.Fatal(err)
	}
	withdraw("third", false)
	err := b.db.Write(t.Context(), func(tx *store.Tx) error {
		_, err := b.outbox.Withdraw(tx, "nothing")
		return err
	})
	if !errors.Is(err, ErrUnknown) {
		t.Errorf("an unknown delivery: %v", err)
	}
}
