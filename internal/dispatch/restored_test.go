package dispatch

import (
	"fmt"
	"testing"
	"time"

	"mindroom/internal/chat"
	"mindroom/internal/store"
)

// After a restore from a backup nothing from before it is decided on until the
// account has heard what was said since; then only what it did not speak after is
// answered, in the thread that the answer would be in. What is said later is
// answered as ever.
func TestARestoredJournal(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	w.hears(text("$backup", ops, ann, "unanswered in the backup"), text("$open", ops, ann, "never answered"))
	must(t, w.db.Write(t.Context(), func(tx *store.Tx) error { return chat.Restore(tx, time.Now()) }))
	w.start()
	w.pump.Wake()
	if got := w.settles(2); len(got) != 0 {
		t.Fatalf("created %+v before it could be told", got)
	}
	later := text("$later", ops, ann, "said in the new life", inThreadOf("$later-root"))
	later.OriginTS = time.Now().Add(time.Hour).UnixMilli()
	mine := text("$mine", ops, watcher, "spoken after it", inThreadOf("$later-root"))
	w.hears(
		text("$answer1", ops, watcher, "I answered", inThreadOf("$backup")),
		text("$after", ops, ann, "said after the backup"),
		text("$answer2", ops, watcher, "I answered too", inThreadOf("$after")),
		text("$deaf", ops, ann, "said while nobody listened"),
		later, mine,
	)
	w.pump.Wake()
	if got := triggers(w.settles(0)); got != "$open $deaf $later" {
		t.Errorf("answered: %s", got)
	}
}

// What is not a question is never carried out a second time.
func TestNoDecisionTwice(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	w.hears(text("$1", ops, ann, "hello"))
	must(t, w.db.Write(t.Context(), func(tx *store.Tx) error { return chat.Restore(tx, time.Now().Add(-time.Second)) }))
	w.hears(text("$2", ops, ann, "hello"))
	for action, want := range map[Action]Action{Ignore: Ignore, Defer: Defer, Answer: Answer, Note: Note, Take: Ignore} {
		v, err := w.pump.sinceBackup(t.Context(), chat.Event{Seq: 1, Account: watcher, Room: ops, OriginTS: 1}, verdict{decision: Decision{Action: action}, root: "$1"})
		if err != nil || v.decision.Action != want {
			t.Errorf("%s became %s, %v", action, v.decision.Action, fmt.Sprint(err))
		}
	}
}
