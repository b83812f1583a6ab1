package turn

import (
	"context"

	"mindroom/internal/approval"
	"mindroom/internal/store"
)

// approvePatiently gives a person's word while the database fails now and then: it is
// judged again until it is stored, as dispatch does.
func (b *bundle) approvePatiently(card approval.Card) {
	b.t.Helper()
	for {
		err := b.db.Write(b.t.Context(), func(tx *store.Tx) error {
			_, _, _, err := b.engine.Cards.(*approval.Cards).Decide(tx, card.ID, approval.Approved, ann, "")
			return err
		})
		if err == nil {
			return
		}
	}
}

// endWithFaults waits until a turn has ended, and only then lets the database work.
func (b *bundle) endWithFaults(id string) State {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.t.Context(), patient)
	defer cancel()
	state, err := b.engine.Wait(ctx, id)
	if err != nil {
		b.t.Fatalf("%v; it is %s", err, b.row(id).state)
	}
	b.db.SetFault(nil)
	return state
}
