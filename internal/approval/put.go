package approval

import (
	"context"
	"fmt"
	"time"

	"mindroom/internal/chat"
	"mindroom/internal/identity"
	"mindroom/internal/message"
	"mindroom/internal/store"
	"mindroom/internal/tool"
)

// unsetTimeout bounds a question whose verdict says no time.
const unsetTimeout = 7 * 24 * time.Hour

// Draw makes the card of a call that a rule asks about, without any effect. A
// fault says why nobody can be asked, and is the end of the call.
func (c *Cards) Draw(ctx context.Context, plan tool.Plan) (Card, *tool.Fault) {
	who := plan.Who
	if !identity.IsHuman(who.Requester, c.Accounts.Own) {
		return Card{}, tool.Faultf(tool.FaultDenied, "%s needs a person's approval (%s), and %q is no person who could give it", plan.Name, plan.Verdict.Rule, who.Requester)
	}
	account, ok := c.poster(ctx, who)
	if !ok {
		return Card{}, &tool.Fault{Kind: tool.FaultDenied, Retryable: true,
			Message: fmt.Sprintf("%s needs a person's approval (%s), and no account of this runtime is in the room to ask for it", plan.Name, plan.Verdict.Rule)}
	}
	timeout := plan.Verdict.Timeout
	if timeout <= 0 {
		timeout = unsetTimeout
	}
	now := c.Wall.Now()
	card := Card{
		ID: cardID(plan.Ref), Ref: plan.Ref, Name: plan.Name, Agent: who.Agent, Requester: who.Requester,
		Conversation: chat.Conversation{Account: account, Room: who.Room, ThreadRoot: who.ResolvedThread},
		Digest:       plan.Args.Digest(), Rule: plan.Verdict.Rule, State: Pending, Requested: now, Expires: now.Add(timeout),
	}
	card.Arguments, card.Approvable = message.Arguments(plan.Args.Canonical(), c.Mask, wholeBytes)
	if card.Approvable {
		// What a client without cards would cut was not seen whole either.
		_, cut := card.readable()[message.KeyCut]
		card.Approvable = !cut
	}
	return card, nil
}

// poster is the account that shows cards in a room: the router's where it is in
// the room, the agent's own elsewhere.
func (c *Cards) poster(ctx context.Context, who identity.Execution) (string, bool) {
	if router, ok := c.Accounts.UserID(c.Router); ok && c.Rooms.Joined(ctx, who.Room, router) == tool.Yes {
		return router, true
	}
	return c.Accounts.UserID(who.Agent)
}

// Put asks: the card and its messages become durable with the caller's
// transaction. A call that has a card keeps it, whatever became of it.
func (c *Cards) Put(tx *store.Tx, card Card) error {
	fresh, err := insert(tx, card)
	if err != nil || !fresh {
		return err
	}
	if err := c.show(tx, card, chat.KindMessage); err != nil {
		return err
	}
	left := card.Expires.Sub(card.Requested)
	tx.AfterCommit(func() { c.arm(card.ID, left) })
	return nil
}

// The deliveries of a card. Their names are made from the card, so that none is
// ever sent twice.
const (
	eventDelivery = "card:"
	textDelivery  = "card-text:"
	endSuffix     = ":end"
)

// show sends the card and its readable message, or the edits that end both.
func (c *Cards) show(tx *store.Tx, card Card, kind chat.Kind) error {
	for _, d := range []struct {
		id, kind string
		content  message.Content
	}{{eventDelivery + card.ID, EventType, card.event()}, {textDelivery + card.ID, "m.room.message", card.readable()}} {
		out := chat.Delivery{ID: d.id, Conversation: card.Conversation, Kind: kind, Type: d.kind, Content: d.content.Raw()}
		if kind == chat.KindEdit {
			out.ID, out.Target = d.id+endSuffix, chat.Target{Delivery: d.id}
		}
		if _, err := c.Outbox.Enqueue(tx, out); err != nil {
			return fmt.Errorf("show card %s: %w", card.ID, err)
		}
	}
	return nil
}
