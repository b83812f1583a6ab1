package turn

import (
	"fmt"
	"sync/atomic"
	"testing"

	"mindroom/internal/approval"
	"mindroom/internal/mode"
	"mindroom/internal/store"
	"mindroom/internal/tool"
)

// Each commit on the way of a call that a command left waiting fails once: the call
// is made once, or it or its command is on record as one that never ran, nothing stays held, and there is
// one answer.
func TestEveryCommitOfAHeldCallFailsOnce(t *testing.T) {
	t.Parallel()
	var hit atomic.Int32
	t.Run("all", func(t *testing.T) {
		for kind, fault := range map[string]error{"full": store.ErrFull, "read only": store.ErrReadOnly} {
			for n := 1; n <= 16; n++ {
				t.Run(fmt.Sprintf("%s, commit %d", kind, n), func(t *testing.T) {
					t.Parallel()
					if heldCommitFails(t, fault, n) {
						hit.Add(1)
					}
				})
			}
		}
	})
	if hit.Load() < 16 { // open, begin, ask, park, decide, ready, claim, held begin and end, end, checkpoint, conclude
		t.Errorf("only %d commits failed", hit.Load())
	}
}

// heldCommitFails plays a turn of which the n-th commit fails; false when it has
// none.
func heldCommitFails(t *testing.T, fault error, n int) bool {
	t.Helper()
	b := newMinimal(t, mode.Minimal, nil)
	b.model.plays(calls("bash", bash(`& probe.gated {"key":"g"}`)), says("Done."), says("Done."))
	var commits, failed atomic.Int32
	id := b.ask("$1", "do it")
	b.db.SetFault(func(p store.Point) error {
		if p == store.BeforeCommit && commits.Add(1) == int32(n) {
			failed.Add(1)
			return fault
		}
		return nil
	})
	var card approval.Card
	b.until("a question or an end", func() bool {
		state := b.row(id).state
		must(t, b.db.Read(t.Context(), func(q *store.Reader) error {
			cards, err := approval.Waiting(q, tool.DoorCLI, id)
			if len(cards) == 1 {
				card = cards[0]
			}
			return err
		}))
		return state.Terminal() || state == Parked && card.ID != ""
	})
	if card.ID != "" {
		b.approvePatiently(card)
	}
	state := b.endWithFaults(id)
	refused := 0
	for _, e := range b.audit.all() {
		if e.Outcome.State == tool.StateFailed && !e.Began {
			refused++
		}
	}
	if ran := b.tools.times("g"); state != Answered || ran > 1 || ran == 0 && refused == 0 {
		t.Errorf("the turn is %s, the call ran %d times and was refused %d times, the model reads %q", state, ran, refused, results(b))
	}
	if n := b.tools.times(`$ & probe.gated {"key":"g"}`); n > 1 {
		t.Errorf("the command ran %d times", n)
	}
	b.oneAnswer(id, "Done.")
	b.nothingHeld(id)
	return failed.Load() > 0
}
