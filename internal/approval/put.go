package approval

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"mindroom/internal/chat"
	"mindroom/internal/identity"
	"mindroom/internal/store"
	"mindroom/internal/tool"
)

// unsetTimeout bounds a question whose verdict says no time.
const unsetTimeout = 7 * 24 * time.Hour

// Draw makes the card of a call that a rule asks about. Nothing is asked by it,
// and its file, where it has one, is nobody's until the card is put. A fault says why nobody can be asked, and is the end of the call.
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
		Digest:       plan.Args.Digest(), Depends: plan.Depends, Rule: plan.Verdict.Rule, State: Pending, Requested: now, Expires: now.Add(timeout),
	}
	c.lay(ctx, &card, plan.Args.Canonical())
	return card, nil
}

// poster is the account that shows cards in a room: the router's where it is in
// the room, the agent's own elsewhere.
func (c *Cards) poster(ctx context.Context, who identity.Execution) (string, bool) {
	if router, ok := c.Accounts.UserID(c.Router); ok && c.Rooms.Joined(ctx, who.Room, router) == tool.Yes {
		return router, true
	}
	// A subagent's calls are asked about where its caller's answer stands.
	return c.Accounts.UserID(cmp.Or(who.Transport, who.Agent))
}

// Put asks: the card and its messages become durable with the caller's
// transaction. A call that has a card keeps it, whatever became of it.
func (c *Cards) Put(tx *store.Tx, card Card) error {
	fresh, err := insert(tx, card)
	if err != nil || !fresh {
		return err
	}
	if err := c.show(tx, card); err != nil {
		return err
	}
	if asked := c.Asked[card.Ref.Door]; asked != nil {
		if err := asked(tx, card); err != nil {
			return err
		}
	}
	left := card.Expires.Sub(card.Requested)
	tx.AfterCommit(func() { c.arm(card, left) })
	return nil
}

// The deliveries of a card, in the order in which they are sent: whoever reads
// the message has got the file before it. Their names are made from the card, so
// that none is ever sent twice.
const (
	eventDelivery = "card:"
	fileDelivery  = "card-file:"
	textDelivery  = "card-text:"

	endSuffix    = ":end"
	unseenSuffix = ":unseen"
)

// show puts the card, its file and its readable message before people.
func (c *Cards) show(tx *store.Tx, card Card) error {
	all := []chat.Delivery{{ID: eventDelivery + card.ID, Type: EventType, Content: card.event().Raw(), Attach: card.File}}
	if !card.File.Zero() {
		all = append(all, chat.Delivery{ID: fileDelivery + card.ID, Type: "m.room.message", Content: card.file().Raw(), Attach: card.File})
	}
	all = append(all, chat.Delivery{ID: textDelivery + card.ID, Type: "m.room.message", Content: card.readable().Raw()})
	for _, d := range all {
		d.Conversation, d.Kind = card.Conversation, chat.KindMessage
		if _, err := c.Outbox.Enqueue(tx, d); err != nil {
			return fmt.Errorf("show card %s: %w", card.ID, err)
		}
	}
	return nil
}

// edit shows a card as it is now, once for each suffix.
func (c *Cards) edit(tx *store.Tx, card Card, suffix string) error {
	for _, d := range []chat.Delivery{
		{ID: eventDelivery + card.ID, Type: EventType, Content: card.event().Raw()},
		{ID: textDelivery + card.ID, Type: "m.room.message", Content: card.readable().Raw()},
	} {
		d.Conversation, d.Kind, d.Target = card.Conversation, chat.KindEdit, chat.Target{Delivery: d.ID}
		d.ID += suffix
		if _, err := c.Outbox.Enqueue(tx, d); err != nil {
			return fmt.Errorf("show card %s as it is now: %w", card.ID, err)
		}
	}
	return nil
}
