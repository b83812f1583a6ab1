package approval

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mindroom/internal/config"
	"mindroom/internal/store"
	"mindroom/internal/tool"
)

// The question about a function that its agent has lost ends at once, whenever
// that is seen: by a reload, by the next process, or because the question was
// drawn before the reload and put after it. Others stay (S19).
func TestQuestionsAboutWhatIsLost(t *testing.T) {
	t.Parallel()
	for name, play := range map[string]func(d *desk, lose func()){
		"a reload": func(d *desk, lose func()) {
			d.asks(turnRef("turn-1"), map[string]any{})
			synctest.Wait()
			lose()
			d.cards.News()
		},
		"a reload while the store fails once": func(d *desk, lose func()) {
			d.asks(turnRef("turn-1"), map[string]any{})
			synctest.Wait()
			failed := false
			d.db.SetFault(func(p store.Point) error {
				if p == store.BeforeCommit && !failed {
					failed = true
					return store.ErrFull
				}
				return nil
			})
			lose()
			d.cards.News()
		},
		"put after the reload": func(d *desk, lose func()) {
			card, fault := d.cards.Draw(context.Background(), d.plan(turnRef("turn-1"), map[string]any{}))
			if fault != nil {
				d.t.Fatal(fault)
			}
			lose()
			d.cards.News()
			synctest.Wait()
			d.write(func(tx *store.Tx) error { return d.cards.Put(tx, card) })
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				d := newDesk(t)
				gone := false
				d.cards.Lost = func(_ *config.Snapshot, agent string, n tool.Name) bool {
					d.mu.Lock()
					defer d.mu.Unlock()
					return gone && agent == "watcher" && n.Function == "act"
				}
				stop := d.expiring()
				defer stop()
				other := d.plan(scriptRef("script-1"), map[string]any{})
				other.Name.Function = "look"
				stays, fault := d.cards.Draw(context.Background(), other)
				if fault != nil {
					t.Fatal(fault)
				}
				d.write(func(tx *store.Tx) error { return d.cards.Put(tx, stays) })
				play(d, func() { d.set(func() { gone = true }) })
				synctest.Wait()
				if name == "a reload while the store fails once" {
					time.Sleep(retry)
					synctest.Wait()
				}
				card := d.card(cardID(turnRef("turn-1")))
				if card.State != Withdrawn || !strings.Contains(card.Reason, "watcher does not have kit.act any more") {
					t.Errorf("it is %s: %q", card.State, card.Reason)
				}
				d.shown(card.ID)
				if now := d.card(stays.ID); now.State != Pending {
					t.Errorf("the other is %s: %q", now.State, now.Reason)
				}
			})
		})
	}
}

// A start looks at what the process before asked.
func TestLostWhileNoProcessRan(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t)
		card := d.asks(scriptRef("script-1"), map[string]any{})
		d.again()
		d.cards.Lost = func(*config.Snapshot, string, tool.Name) bool { return true }
		stop := d.expiring()
		defer stop()
		synctest.Wait()
		if now := d.card(card.ID); now.State != Withdrawn {
			t.Errorf("it is %s", now.State)
		}
	})
}

// A call that is asked about at the moment its requester loses the agent does not
// wait for a decision nobody may give.
func TestAskedAtTheMomentOfTheLoss(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.cards.Asked = map[tool.Door]func(*store.Tx, Card) error{tool.DoorScript: func(*store.Tx, Card) error {
		d.set(func() { d.may = tool.No })
		return nil
	}}
	ctx, cancel := context.WithTimeout(t.Context(), cardPatience)
	defer cancel()
	decision, fault := d.cards.Ask(ctx, d.plan(scriptRef("script-1"), map[string]any{}))
	if fault != nil || decision.Kind != tool.Withdrawn || !strings.Contains(decision.Reason, "may not use the agent") {
		t.Errorf("%+v, %v", decision, fault)
	}
}
