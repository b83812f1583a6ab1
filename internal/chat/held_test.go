package chat

import (
	"encoding/json"
	"testing"

	"mindroom/internal/store"
)

// A held event is nobody's work and in no history until it is opened; then it
// is new, once, with what it says and in the conversation it belongs to.
// Invariant 3
func TestHeldIsUndecided(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	sealed := said("$sealed", "", 1)
	sealed.Type, sealed.State, sealed.Content = "m.room.encrypted", EventHeld, json.RawMessage(`{"session_id":"s"}`)
	b.record(t, "t1", said("$root", "root", 0), sealed)
	held := func() (events []Event) {
		t.Helper()
		err := b.db.Read(t.Context(), func(r *store.Reader) (err error) {
			events, err = b.journal.Held(r, bot, 10)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return events
	}
	open := func(e Event) (opened bool) {
		t.Helper()
		b.write(t, func(tx *store.Tx) (err error) {
			opened, err = b.journal.Open(tx, bot, e)
			return err
		})
		return opened
	}
	before := held()
	if len(before) != 1 || before[0].EventID != "$sealed" || before[0].State != EventHeld {
		t.Fatalf("held %+v", before)
	}
	b.write(t, func(tx *store.Tx) error {
		if ok, err := b.journal.Mark(tx, before[0].Seq, EventTaken); ok || err != nil {
			t.Errorf("a held event was taken: %v", err)
		}
		return nil
	})
	if got := b.new(t); got != "$root " {
		t.Errorf("new: %s", got)
	}
	if b.record(t, "t2", said("$sealed", "heard again", 1)) != 0 || len(held()) != 1 {
		t.Error("hearing it again did something")
	}

	wake, end := b.journal.Subscribe(bot)
	defer end()
	if open(said("$unknown", "?", 1)) || open(said("$root", "?", 1)) {
		t.Error("opened what is not held")
	}
	says := with(said("$sealed", "in the thread", 1), `{"rel_type":"m.thread","event_id":"$root"}`)
	if !open(says) || open(says) {
		t.Fatal("not opened once")
	}
	select {
	case <-wake:
	default:
		t.Error("nobody was told")
	}
	if got := b.new(t); got != "$root $sealed " || len(held()) != 0 {
		t.Errorf("new: %s, held: %v", got, held())
	}
	messages, err := b.journal.History(t.Context(), Conversation{Account: bot, Room: roomA, ThreadRoot: "$root"}, 10)
	if err != nil || len(messages) != 2 || Body(messages[1].Content) != "in the thread" {
		t.Errorf("history %+v, %v", messages, err)
	}
}
