package approval

import (
	"context"
	"fmt"

	"mindroom/internal/config"
	"mindroom/internal/store"
	"mindroom/internal/tool"
)

// News says that the configuration changed, which may have taken away what
// questions are about. It never blocks.
func (c *Cards) News() {
	c.mu.Lock()
	c.review = true
	c.mu.Unlock()
	c.wakeUp()
}

// looked withdraws the questions about functions that their agents have lost:
// all of them after News, and those that were put since the last look, which may
// have been drawn under the configuration before.
func (c *Cards) looked(ctx context.Context) error {
	c.mu.Lock()
	review, cards := c.review, c.fresh
	c.review, c.fresh = false, nil
	c.mu.Unlock()
	err := c.withdrawLost(ctx, review, cards)
	if err != nil { // what was not looked at is looked at again
		c.mu.Lock()
		c.review, c.fresh = c.review || review, append(cards, c.fresh...)
		c.mu.Unlock()
	}
	return err
}

func (c *Cards) withdrawLost(ctx context.Context, review bool, cards []Card) error {
	if review {
		err := c.DB.Read(ctx, func(q *store.Reader) (err error) {
			cards, err = AllWaiting(q)
			return err
		})
		if err != nil {
			return err
		}
	}
	snap := c.Config.Current()
	for _, card := range cards {
		reason, lost := c.lost(snap, card)
		if !lost {
			continue
		}
		if err := c.DB.Write(ctx, func(tx *store.Tx) error { return c.WithdrawCall(tx, card.Ref, reason) }); err != nil {
			return fmt.Errorf("withdraw card %s: %w", card.ID, err)
		}
	}
	return nil
}

// lost reports whether the function that a card asks about is gone, and says so.
func (c *Cards) lost(snap *config.Snapshot, card Card) (reason string, lost bool) {
	if c.Lost == nil || !c.Lost(snap, card.Agent, card.Name) {
		return "", false
	}
	return fmt.Sprintf("%s does not have %s any more", card.Agent, card.Name), true
}

// overtaken withdraws a question that was put at the moment at which its
// requester lost the agent: whoever ended what they may do did not see it yet.
func (c *Cards) overtaken(ctx context.Context, plan tool.Plan, card Card) {
	if c.Authority.May(ctx, plan.Who, c.Config.Current()) != tool.No {
		return
	}
	err := c.DB.Write(ctx, func(tx *store.Tx) error {
		return c.WithdrawCall(tx, card.Ref, "the requester may not use the agent any more")
	})
	if err != nil && ctx.Err() == nil {
		c.Log.Warn("a question that nobody may decide could not be withdrawn; it ends with its time", "card", card.ID, "error", err)
	}
}
