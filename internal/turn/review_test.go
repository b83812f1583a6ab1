package turn

import (
	"fmt"
	"testing"

	"mindroom/internal/approval"
	"mindroom/internal/mode"
	"mindroom/internal/store"
	"mindroom/internal/tool"
)

// A question that is waited for in place ends with the access of its requester as
// those of parked turns do: a subagent's call, and one of mindroom-agent whose
// command runs on (S19).
func TestWhoWaitsInPlaceLosesTheQuestion(t *testing.T) {
	t.Parallel()
	denied := func(b *bundle, access *may) { access.denied.Store(true); b.engine.News() }
	gone := func(t *testing.T, b *bundle, card approval.Card) {
		t.Helper()
		b.until("the question is over", func() bool {
			d, over := b.ended(card.Ref)
			if over && (d.Kind != tool.Withdrawn || d.Reason != "the requester may not use the agent any more") {
				t.Fatalf("it ended %+v", d)
			}
			return over
		})
		if b.tools.times("g") != 0 {
			t.Error("the call was made")
		}
	}
	t.Run("subagent", func(t *testing.T) {
		t.Parallel()
		access := &may{}
		b := newAskingOf(t, family, func(p *Parts) { p.Room.Authority = access })
		b.model.plays(calls("run_subagent", `{"task":"x","agent":"helper"}`), calls("gated", `{"key":"g"}`), says("Inner."), says("Outer."))
		id := b.ask("$1", "please")
		card := b.cardOfOnly()
		denied(b, access)
		gone(t, b, card)
		b.ends(id, Answered)
	})
	t.Run("command", func(t *testing.T) {
		t.Parallel()
		access := &may{}
		b := newMinimal(t, mode.Minimal, func(p *Parts) { p.Room.Authority = access })
		b.model.plays(calls("bash", bash(`probe.gated {"key":"g"}`)), says("Done."))
		id := b.ask("$1", "do it")
		var card approval.Card
		b.until("a question", func() bool {
			must(t, b.db.Read(t.Context(), func(q *store.Reader) error {
				cards, err := approval.Waiting(q, tool.DoorCLI, id)
				if len(cards) == 1 {
					card = cards[0]
				}
				return err
			}))
			return card.ID != ""
		})
		if s := b.row(id).state; s != Dirty {
			t.Fatalf("the turn is %s", s)
		}
		denied(b, access)
		gone(t, b, card)
		b.until("the turn is over", func() bool { return b.row(id).state.Terminal() })
	})
}

// ended is how a question ended; false while it is open.
func (b *bundle) ended(ref tool.Ref) (d tool.Decision, over bool) {
	must(b.t, b.db.Read(b.t.Context(), func(q *store.Reader) (err error) {
		d, over, err = b.engine.Cards.Decision(q, ref)
		return err
	}))
	return d, over
}

// lastMoment takes the access away while a question is put.
type lastMoment struct {
	Cards
	access *may
}

func (l lastMoment) Put(tx *store.Tx, card approval.Card) error {
	l.access.denied.Store(true)
	return l.Cards.Put(tx, card)
}

// A turn that is parked at the moment of the loss is found as well: no news comes
// after it.
func TestParkedAtTheMomentOfTheLoss(t *testing.T) {
	t.Parallel()
	access := &may{}
	b := newAsking(t, "", func(p *Parts) {
		p.Room.Authority = access
		p.Cards = lastMoment{p.Cards, access}
	})
	b.model.plays(calls("gated", `{"key":"a"}`))
	b.ends(b.ask("$1", "do it"), Failed)
	if b.tools.times("a") != 0 {
		t.Error("the call was made")
	}
}

// A parked turn that cannot be read any more is ended, and keeps neither the loss of
// access from the others nor the engine from its work.
func TestADamagedParkedTurnHoldsUpNobody(t *testing.T) {
	t.Parallel()
	access := &may{}
	b := newAsking(t, "", func(p *Parts) { p.Room.Authority = access })
	var ids []string
	for n := range 2 {
		b.model.plays(calls("gated", fmt.Sprintf(`{"key":"%d"}`, n)))
		ids = append(ids, b.ask(fmt.Sprintf("$%d", n), "do it"))
		b.parks(ids[n])
	}
	must(t, b.db.Write(t.Context(), func(tx *store.Tx) error {
		_, err := tx.Exec(`UPDATE turns SET checkpoint = '{"version":99}' WHERE turn_id = $1`, ids[0])
		return err
	}))
	access.denied.Store(true)
	b.engine.News()
	b.ends(ids[1], Failed)
	b.ends(ids[0], Interrupted)
	if left := append(b.cards(ids[0]), b.cards(ids[1])...); len(left) != 0 {
		t.Errorf("%d questions are left", len(left))
	}
	access.denied.Store(false)
	b.model.plays(says("Here."))
	b.ends(b.ask("$9", "are you there?"), Answered)
}
