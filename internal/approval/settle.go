package approval

import (
	"context"
	"fmt"

	"mindroom/internal/excerpt"
	"mindroom/internal/store"
	"mindroom/internal/tool"
)

// Decide ends a question with a person's word or with its time, in the caller's
// transaction, and shows the end. The first end wins: the card as it stands is
// returned, and whether this call ended it. An approval of a card that was not
// seen whole becomes a denial. false in found means that there is no such card.
func (c *Cards) Decide(tx *store.Tx, id string, next State, by, reason string) (card Card, first, found bool, err error) {
	card, found, err = get(tx, id)
	if err != nil || !found {
		return card, false, found, err
	}
	if card.State.Terminal() {
		return card, false, true, nil
	}
	if next == Approved && !card.Approvable {
		next, reason = Denied, "the arguments could not be shown whole, so they cannot be approved"
	}
	card, err = c.settle(tx, card, next, by, excerpt.Head(reason, reasonBytes))
	return card, err == nil, true, err
}

// settle is the one way a pending card ends.
func (c *Cards) settle(tx *store.Tx, card Card, next State, by, reason string) (Card, error) {
	now := c.Wall.Now()
	first, err := end(tx, card.ID, next, by, reason, now)
	if err != nil {
		return card, err
	}
	if !first {
		return card, fmt.Errorf("card %s ended while it was read", card.ID)
	}
	card.State, card.By, card.Reason, card.Decided = next, by, reason, now
	if err := c.edit(tx, card, endSuffix); err != nil {
		return card, err
	}
	ended := card
	tx.AfterCommit(func() { c.over(ended) })
	return card, nil
}

// Withdraw ends the pending questions of one owner without a decision: its calls
// are over or can no longer be made (S19). reason is a clause for people. It
// reports how many there were; again it is none.
func (c *Cards) Withdraw(tx *store.Tx, door tool.Door, owner, reason string) (int, error) {
	cards, err := Waiting(tx, door, owner)
	if err != nil {
		return 0, err
	}
	for _, card := range cards {
		if _, err := c.settle(tx, card, Withdrawn, "", reason); err != nil {
			return 0, err
		}
	}
	return len(cards), nil
}

// WithdrawCall is Withdraw for one call.
func (c *Cards) WithdrawCall(tx *store.Tx, ref tool.Ref, reason string) error {
	card, found, err := Of(tx, ref)
	if err != nil || !found || card.State.Terminal() {
		return err
	}
	_, err = c.settle(tx, card, Withdrawn, "", reason)
	return err
}

// Ask puts a call before its requester and waits for the end of the question
// (tool.Asker). When ctx ends first the question is withdrawn: the call never
// ran.
func (c *Cards) Ask(ctx context.Context, plan tool.Plan) (tool.Decision, *tool.Fault) {
	card, fault := c.Draw(ctx, plan)
	if fault != nil {
		return tool.Decision{}, fault
	}
	ended := c.follow(card.ID)
	defer c.unfollow(card.ID, ended)
	if err := c.DB.Write(ctx, func(tx *store.Tx) error { return c.Put(tx, card) }); err != nil {
		return tool.Decision{}, &tool.Fault{Kind: tool.FaultUnavailable, Retryable: true,
			Message: fmt.Sprintf("the question about %s could not be stored, so nobody was asked and it was not run: %v", plan.Name, err)}
	}
	c.overtaken(ctx, plan, card)
	for {
		decision, over, err := c.decision(ctx, card.ID)
		if over {
			return decision, nil
		}
		if err != nil && ctx.Err() == nil {
			// The question stands, and whoever decides is to be heard.
			c.Log.Error("a decision cannot be read; trying again", "card", card.ID, "error", err)
			pause(ctx, retry)
			continue
		}
		select {
		case <-ended:
		case <-ctx.Done():
			return c.giveUp(ctx, card)
		}
	}
}

// giveUp withdraws the question of a caller that has gone, unless it was decided
// at the same moment.
func (c *Cards) giveUp(ctx context.Context, card Card) (tool.Decision, *tool.Fault) {
	err := c.DB.Write(context.WithoutCancel(ctx), func(tx *store.Tx) error {
		return c.WithdrawCall(tx, card.Ref, "the caller ended before anybody decided")
	})
	if err != nil {
		c.Log.Warn("a question could not be withdrawn; the end of its owner withdraws it", "card", card.ID, "error", err)
	}
	return tool.Decision{}, &tool.Fault{Kind: tool.FaultCancelled, Retryable: true, Message: "the call was ended while it waited for a person; it never ran"}
}

// Decision is how the question about a call ended; false while it is pending or
// was never asked.
func (c *Cards) Decision(q store.Queryer, ref tool.Ref) (tool.Decision, bool, error) {
	card, found, err := Of(q, ref)
	if err != nil || !found {
		return tool.Decision{}, false, err
	}
	d, over := card.Decision()
	return d, over, nil
}

func (c *Cards) decision(ctx context.Context, id string) (d tool.Decision, over bool, err error) {
	err = c.DB.Read(ctx, func(q *store.Reader) error {
		card, found, err := get(q, id)
		if err == nil && found {
			d, over = card.Decision()
		}
		return err
	})
	return d, over, err
}

// Watch returns a channel that is closed when the question about a call ends in
// this process. It is a hint, as Settled is: whoever got it reads Decision, once
// before waiting. stop is to be called once.
func (c *Cards) Watch(ref tool.Ref) (ended <-chan struct{}, stop func()) {
	id := cardID(ref)
	w := c.follow(id)
	return w, func() { c.unfollow(id, w) }
}

// follow returns a channel that is closed when the card ends in this process.
func (c *Cards) follow(id string) chan struct{} {
	ended := make(chan struct{})
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiting[id] = append(c.waiting[id], ended)
	return ended
}

func (c *Cards) unfollow(id string, ended chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := c.waiting[id]
	for i, w := range all {
		if w == ended {
			c.waiting[id] = append(all[:i:i], all[i+1:]...)
		}
	}
	if len(c.waiting[id]) == 0 {
		delete(c.waiting, id)
	}
}
