package turncli

import (
	"fmt"
	"sync/atomic"
	"testing"

	"mindroom/internal/approval"
	"mindroom/internal/store"
	"mindroom/internal/tool"
)

// A call that waits for a person, on a disk on which one of its commits fails, runs
// at most once, and its receipt claims no more than is known: what did not run is
// said to have failed, what ran and could not be recorded to be uncertain.
func TestEveryCommitOfACallFailsOnce(t *testing.T) {
	t.Parallel()
	for n, want := range []struct {
		commit string
		ran    int
		code   tool.FaultKind
	}{
		{"the question", 0, tool.FaultUnavailable},
		{"BEGIN", 0, tool.FaultUnavailable},
		{"the end", 1, tool.FaultIndeterminate},
		{"none", 1, ""},
	} {
		t.Run(want.commit, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t)
			kept := newHolds()
			o := h.open(func(open *Opening) { open.Holds, open.Calls = kept, 2 })
			scope, c := h.window(o, "toolu_1")
			var broken atomic.Int32 // the commits until the one that fails
			broken.Store(-1)
			h.db.SetFault(func(p store.Point) error {
				if p == store.BeforeCommit && broken.Add(-1) == -1 {
					return &store.Error{Kind: store.Full, Err: fmt.Errorf("commit %d", n)}
				}
				return nil
			})
			if n == 0 {
				broken.Store(0)
			}
			c.submit(1, "kit.ask", `{"text":"x"}`)
			if n > 0 {
				c.until(1, "waiting")
				h.decideAnd(ref(o, 1), func() { broken.Store(int32(n - 1)) })
			}
			a := c.until(1, "completed", "failed", "cancelled")
			broken.Store(-1)
			if a.outcome("code") != string(want.code) || h.kit.count("ask") != want.ran {
				t.Errorf("after %d runs: %s", h.kit.count("ask"), a.raw)
			}
			// What failed before it began has used nothing of the limit.
			more := 2 - want.ran
			for i := range 3 {
				a := c.call(10+i, "kit.echo", `{"text":"x"}`)
				if done := a.text("status") == "completed"; done != (i < more) {
					t.Errorf("call %d after it: %s", i, a.raw)
				}
			}
			if e := scope.Close(t.Context()); e.Err != nil || e.Paused {
				t.Errorf("the command is left %+v", e)
			}
		})
	}
}

// decideAnd approves a call and does something in the moment after its decision is
// stored.
func (h *house) decideAnd(ref tool.Ref, then func()) {
	h.t.Helper()
	must(h.t, h.db.Write(h.t.Context(), func(tx *store.Tx) error {
		card, found, err := approval.Of(tx, ref)
		if err != nil || !found {
			return fmt.Errorf("no card of %s: %v, %w", ref, found, err)
		}
		tx.AfterCommit(then) // before whoever waits for the card hears of it
		_, _, _, err = h.cards.Decide(tx, card.ID, approval.Approved, "@anna:x", "")
		return err
	}))
}
