package approval

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mindroom/internal/store"
	"mindroom/internal/tool"
)

// Whatever happens to a question at the same moment, in whatever order and over
// restarts: it ends once, the end never changes, is shown, and opens the call
// only if its requester approved (sentences 1 to 6).
func TestSchedules(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	var runs atomic.Int64
	rapid.Check(t, func(r *rapid.T) {
		run := runs.Add(1)
		door := rapid.SampledFrom([]tool.Door{tool.DoorTurn, tool.DoorScript}).Draw(r, "door")
		owner := fmt.Sprintf("%s-%d", door, run)
		ref := tool.Ref{Door: door, Owner: owner, ID: "c"}
		plan := d.plan(ref, map[string]any{"n": run})
		id := cardID(ref)
		if rapid.IntRange(0, 4).Draw(r, "restarted before") == 0 {
			d.again()
		}
		cards := d.cards
		// One may wait in Ask; else the question is put as a turn puts it.
		waits := door == tool.DoorScript
		ctx, leave := context.WithCancel(context.Background())
		defer leave()
		var asked sync.WaitGroup
		var decision tool.Decision
		var fault *tool.Fault
		if waits {
			asked.Go(func() { decision, fault = cards.Ask(ctx, plan) })
			for !d.exists(id) {
				time.Sleep(time.Millisecond)
			}
		} else {
			d.asks(ref, map[string]any{"n": run})
		}
		if rapid.Bool().Draw(r, "cannot be approved") {
			d.write(func(tx *store.Tx) error { return unseen(tx, id) })
		}
		approvable := d.card(id).Approvable

		var firsts atomic.Int64
		hear := func(w Word) func() {
			w.Delivery = eventDelivery + id
			return func() {
				v, err := cards.Hear(context.Background(), w)
				if err == nil && v.Do != nil {
					err = d.db.Write(context.Background(), v.Do)
				}
				if err != nil {
					r.Error(err)
				}
			}
		}
		write := func(fn func(tx *store.Tx) error) func() {
			return func() {
				if err := d.db.Write(context.Background(), fn); err != nil {
					r.Error(err)
				}
			}
		}
		decide := func(next State, by string) func() {
			return write(func(tx *store.Tx) error {
				_, first, _, err := cards.Decide(tx, id, next, by, "said")
				if first {
					tx.AfterCommit(func() { firsts.Add(1) })
				}
				return err
			})
		}
		possible := map[string]func(){
			"approves":          hear(Word{Person: ann, Key: "✅"}),
			"denies":            hear(Word{Person: ann, Text: "no"}),
			"a stranger":        hear(Word{Person: ben, Key: "✅"}),
			"decides":           decide(Approved, ann),
			"expires":           decide(Expired, ""),
			"ends with its run": write(func(tx *store.Tx) error { _, err := cards.Withdraw(tx, door, owner, "it ended"); return err }),
			"is withdrawn":      write(func(tx *store.Tx) error { return cards.WithdrawCall(tx, ref, "it ended") }),
			"its caller leaves": leave,
			"asked again": func() {
				card := d.card(id)
				card.State = Pending
				write(func(tx *store.Tx) error { return cards.Put(tx, card) })()
			},
		}
		names := slices.Sorted(maps.Keys(possible))
		chosen := rapid.SliceOfN(rapid.SampledFrom(names), 1, 6).Draw(r, "at once")
		var all sync.WaitGroup
		begin := make(chan struct{})
		for _, name := range chosen {
			all.Go(func() { <-begin; possible[name]() })
		}
		close(begin)
		all.Wait()
		if waits {
			leave()
			asked.Wait()
		}
		first := d.card(id)
		// The next process, and everything once more.
		d.again()
		for _, name := range chosen {
			if name != "its caller leaves" {
				possible[name]()
			}
		}
		if now := d.card(id); now.State.Terminal() && first.State.Terminal() && (now.State != first.State || now.By != first.By || now.Reason != first.Reason || !now.Decided.Equal(first.Decided)) {
			r.Errorf("%s by %q became %s by %q", first.State, first.By, now.State, now.By)
		}
		d.shown(id)
		if firsts.Load() > 1 {
			r.Errorf("%d ends were the first", firsts.Load())
		}
		if first.State == Approved && (!approvable || first.By != ann) {
			r.Errorf("approved by %q, although it could be: %v", first.By, approvable)
		}
		if waits && fault == nil && (decision.Kind != tool.DecisionKind(first.State) || decision.Digest != plan.Args.Digest() || decision.Depends != plan.Depends) {
			r.Errorf("the card is %s, its call heard %+v", first.State, decision)
		}
		if waits && fault != nil && fault.Kind != tool.FaultCancelled {
			r.Errorf("its call heard %v", fault)
		}
		if waits && !first.State.Terminal() {
			r.Error("nobody waits, and the question stands")
		}
	})
}

// A thousand questions wait at once and each is answered by itself; those that
// the next process finds end with their runs, and none was approved by that.
func TestAThousandAtOnce(t *testing.T) {
	t.Parallel()
	const many = 1000
	d := newDesk(t)
	ctx, leave := context.WithCancel(t.Context())
	var all sync.WaitGroup
	var approved, denied, left atomic.Int64
	for i := range many {
		plan := d.plan(scriptRef(fmt.Sprintf("script-%d", i)), map[string]any{"n": i})
		all.Go(func() {
			decision, fault := d.cards.Ask(ctx, plan)
			switch {
			case fault != nil:
				left.Add(1)
			case decision.Kind == tool.Approved && decision.Digest == plan.Args.Digest():
				approved.Add(1)
			case decision.Kind == tool.Denied:
				denied.Add(1)
			}
		})
	}
	deadline := time.Now().Add(cardPatience)
	for d.waiting() < many {
		if time.Now().After(deadline) {
			t.Fatalf("%d wait", d.waiting())
		}
		time.Sleep(5 * time.Millisecond)
	}
	d.write(func(tx *store.Tx) error {
		for i := range many / 2 {
			next := []State{Approved, Denied}[i%2]
			if _, _, _, err := d.cards.Decide(tx, cardID(scriptRef(fmt.Sprintf("script-%d", i))), next, ann, ""); err != nil {
				return err
			}
		}
		return nil
	})
	for approved.Load()+denied.Load() < many/2 {
		if time.Now().After(deadline) {
			t.Fatalf("%d approved, %d denied", approved.Load(), denied.Load())
		}
		time.Sleep(5 * time.Millisecond)
	}
	// The others' process ends: nobody is left to withdraw them but the next one.
	d.db.SetFault(func(p store.Point) error {
		if p == store.BeforeCommit {
			return store.ErrClosed
		}
		return nil
	})
	leave()
	all.Wait()
	d.db.SetFault(nil)
	if approved.Load() != many/4 || denied.Load() != many/4 || left.Load() != many/2 || d.waiting() != many/2 {
		t.Errorf("%d approved, %d denied, %d left, %d still wait", approved.Load(), denied.Load(), left.Load(), d.waiting())
	}
	d.again()
	d.write(func(tx *store.Tx) error {
		for i := many / 2; i < many; i++ {
			n, err := d.cards.Withdraw(tx, tool.DoorScript, fmt.Sprintf("script-%d", i), "the service was restarted")
			if err != nil || n != 1 {
				return fmt.Errorf("%d withdrawn, %w", n, err)
			}
		}
		return nil
	})
	if d.waiting() != 0 {
		t.Errorf("%d still wait", d.waiting())
	}
	d.shown(cardID(scriptRef("script-7")))
	d.shown(cardID(scriptRef("script-777")))
}
