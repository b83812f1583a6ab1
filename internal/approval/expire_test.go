package approval

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"mindroom/internal/store"
	"mindroom/internal/tool"
)

// expiring runs the desk's clock until stop.
func (d *desk) expiring() (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	cards := d.cards
	go func() {
		defer close(done)
		_ = cards.Run(ctx) // it ends with its context
	}()
	return func() { cancel(); <-done }
}

// Sentence 5: a question has its time by the machine's clock, whatever happens to
// the wall clock, and over a restart what is left by the wall clock.
func TestExpiry(t *testing.T) {
	t.Parallel()
	const hour = time.Hour
	for name, c := range map[string]struct {
		before   time.Duration // runs before anything happens
		jump     time.Duration // of the wall clock
		restart  bool
		down     time.Duration // how long no process runs
		left     time.Duration // until it expires, from then
		lateJump time.Duration // a jump after the restart
	}{
		"its time":                             {left: hour},
		"the clock is set on by two days":      {before: hour / 2, jump: 48 * hour, left: hour / 2},
		"the clock is set back by two days":    {before: hour / 2, jump: -48 * hour, left: hour / 2},
		"a restart":                            {before: hour / 4, restart: true, left: 3 * hour / 4},
		"a restart after a while":              {before: hour / 4, restart: true, down: hour / 2, left: hour / 4},
		"a restart after its time":             {before: hour / 4, restart: true, down: 2 * hour, left: 0},
		"a restart, the clock was set back":    {before: hour / 4, restart: true, jump: -48 * hour, left: hour},
		"a restart, the clock is set on later": {before: hour / 4, restart: true, left: 3 * hour / 4, lateJump: 48 * hour},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				d := newDesk(t)
				stop := d.expiring()
				card := d.asks(turnRef("turn-1"), map[string]any{})
				time.Sleep(c.before)
				d.wall.Add(int64(c.jump))
				if c.restart {
					stop()
					time.Sleep(c.down)
					d.again()
					stop = d.expiring()
					synctest.Wait()
				}
				d.wall.Add(int64(c.lateJump))
				if c.left > 0 {
					time.Sleep(c.left - time.Second)
					synctest.Wait()
					if now := d.card(card.ID); now.State != Pending {
						t.Errorf("a second too early it is %s", now.State)
					}
				}
				time.Sleep(2 * time.Second)
				synctest.Wait()
				now := d.card(card.ID)
				if now.State != Expired || now.By != "" {
					t.Errorf("a second later it is %s by %q", now.State, now.By)
				}
				d.shown(card.ID)
				stop()
				if len(d.settled) != 1 {
					t.Errorf("told %v", d.settled)
				}
			})
		})
	}
}

// An expiry that cannot be stored is tried again, and a decision that comes
// meanwhile is too late.
func TestExpiryIsTriedAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t)
		stop := d.expiring()
		defer stop()
		card := d.asks(turnRef("turn-1"), map[string]any{})
		d.db.SetFault(func(p store.Point) error {
			if p == store.BeforeCommit {
				return store.ErrFull
			}
			return nil
		})
		time.Sleep(time.Hour + time.Minute)
		synctest.Wait()
		if now := d.card(card.ID); now.State != Pending {
			t.Fatalf("it is %s on a full disk", now.State)
		}
		d.db.SetFault(nil)
		d.hears(Word{Delivery: eventDelivery + card.ID, Person: ann, Key: "✅"})
		if now := d.card(card.ID); now.State != Expired {
			t.Errorf("it is %s", now.State)
		}
	})
}

// A decision whose commit fails is not lost: the word is judged again.
func TestDecisionIsTriedAgain(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	card := d.asks(turnRef("turn-1"), map[string]any{})
	v, err := d.cards.Hear(t.Context(), Word{Delivery: eventDelivery + card.ID, Person: ann, Key: "✅"})
	d.must(err)
	d.db.SetFault(func(p store.Point) error {
		if p == store.BeforeCommit {
			return store.ErrFull
		}
		return nil
	})
	if err := d.db.Write(t.Context(), v.Do); !errors.Is(err, store.ErrFull) {
		t.Fatalf("the decision was stored on a full disk: %v", err)
	}
	d.db.SetFault(nil)
	if now := d.card(card.ID); now.State != Pending || len(d.settled) != 0 {
		t.Errorf("it is %s, told %v", now.State, d.settled)
	}
	d.hears(Word{Delivery: eventDelivery + card.ID, Person: ann, Key: "✅"})
	if now := d.card(card.ID); now.State != Approved || len(d.settled) != 1 {
		t.Errorf("it is %s, told %v", now.State, d.settled)
	}
}

// Who waits in Ask hears every end, and one that goes leaves no question behind.
func TestAsk(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		end  func(d *desk, id string, leave func())
		kind tool.DecisionKind
		card State
	}{
		"approved": {func(d *desk, id string, _ func()) { d.decides(id, Approved, "") }, tool.Approved, Approved},
		"denied":   {func(d *desk, id string, _ func()) { d.decides(id, Denied, "no") }, tool.Denied, Denied},
		"expired":  {func(d *desk, _ string, _ func()) { time.Sleep(2 * time.Hour) }, tool.Expired, Expired},
		"withdrawn": {func(d *desk, _ string, _ func()) {
			d.write(func(tx *store.Tx) error {
				_, err := d.cards.Withdraw(tx, tool.DoorScript, "script-1", "the script ended")
				return err
			})
		}, tool.Withdrawn, Withdrawn},
		"its caller leaves": {func(_ *desk, _ string, leave func()) { leave() }, "", Withdrawn},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				d := newDesk(t)
				stop := d.expiring()
				defer stop()
				ctx, leave := context.WithCancel(context.Background())
				defer leave()
				type answer struct {
					tool.Decision
					fault *tool.Fault
				}
				answers := make(chan answer, 1)
				plan := d.plan(scriptRef("script-1"), map[string]any{})
				go func() {
					decision, fault := d.cards.Ask(ctx, plan)
					answers <- answer{decision, fault}
				}()
				synctest.Wait()
				id := cardID(plan.Ref)
				c.end(d, id, leave)
				got := <-answers
				if got.Kind != c.kind || (got.fault != nil) != (c.kind == "") {
					t.Errorf("%+v", got)
				}
				if got.fault != nil && got.fault.Kind != tool.FaultCancelled {
					t.Errorf("%v", got.fault)
				}
				if now := d.card(id); now.State != c.card {
					t.Errorf("the card is %s", now.State)
				}
				if len(d.cards.waiting) != 0 || len(d.cards.due) != 0 {
					t.Error("something of it stays in memory")
				}
			})
		})
	}
}

// A question that cannot be stored is nobody's, and its call did not run.
func TestAskOnAFullDisk(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.db.SetFault(func(p store.Point) error {
		if p == store.BeforeCommit {
			return store.ErrFull
		}
		return nil
	})
	_, fault := d.cards.Ask(t.Context(), d.plan(scriptRef("script-1"), map[string]any{}))
	if fault == nil || fault.Kind != tool.FaultUnavailable || !fault.Retryable {
		t.Errorf("%v", fault)
	}
	d.db.SetFault(nil)
	if len(d.cards.waiting) != 0 || len(d.cards.due) != 0 {
		t.Error("something of it stays in memory")
	}
}
