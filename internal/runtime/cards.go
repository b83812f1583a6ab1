package runtime

import (
	"context"

	"mindroom/internal/approval"
	"mindroom/internal/config"
	"mindroom/internal/dispatch"
	"mindroom/internal/matrix"
	"mindroom/internal/secret"
	"mindroom/internal/store"
	"mindroom/internal/tool"
)

var _ approval.Accounts = accounts{}

// questions is the owner of the questions to people. Turns are told of ends,
// because nothing of a parked turn waits; scripts wait in their calls.
func (p *primary) questions(known accounts) *approval.Cards {
	cards := approval.NewCards(approval.Parts{
		DB: p.db, Outbox: p.outbox, Config: p.holder, Authority: p.authority, Accounts: known, Rooms: p.members, Router: matrix.RouterKey, Files: p.media,
		Mask: secret.Default.Redact, Lost: p.lost, Wall: p.wall, Log: p.log,
		Asked: map[tool.Door]func(*store.Tx, approval.Card) error{tool.DoorScript: func(tx *store.Tx, card approval.Card) error { return p.scripts.Waits(tx, card) }},
		Settled: map[tool.Door]func(string){
			tool.DoorTurn: func(turn string) { p.turns.Settled(turn) },
			tool.DoorCLI:  func(turn string) { p.turns.Settled(turn) },
		},
	})
	p.outbox.GivenUp = cards.GivenUp
	return cards
}

// lost reports whether an agent does not have a function any more. The registry
// is made after the cards are, whose work begins later.
func (p *primary) lost(snap *config.Snapshot, agent string, name tool.Name) bool {
	return p.registry.Lost(snap, agent, name)
}

// cardTaker offers what people do to cards to their owner.
func cardTaker(cards *approval.Cards) dispatch.Taker {
	return func(ctx context.Context, t dispatch.Touch) (dispatch.Taking, error) {
		v, err := cards.Hear(ctx, approval.Word{Delivery: t.Message.ID, Person: t.Person, Key: t.Key, Text: t.Text})
		return dispatch.Taking{Claimed: v.Claimed, Later: v.Later, Do: v.Do}, err
	}
}

// responseTaker offers what richer clients answer to a card.
func responseTaker(cards *approval.Cards) dispatch.Taker {
	return func(ctx context.Context, t dispatch.Touch) (dispatch.Taking, error) {
		r, ok := approval.ParseResponse(t.Event.Content)
		if !ok {
			return dispatch.Taking{}, nil
		}
		v, err := cards.Hear(ctx, approval.Word{Delivery: t.Message.ID, Person: t.Person, Response: &r})
		return dispatch.Taking{Claimed: v.Claimed, Later: v.Later, Do: v.Do}, err
	}
}
