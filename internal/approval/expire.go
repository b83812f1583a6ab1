package approval

import (
	"context"
	"fmt"
	"time"

	"mindroom/internal/store"
)

// retry is how soon an expiry that could not be stored, or a decision that could
// not be read, is tried again.
const retry = 5 * time.Second

// Run lets questions expire, and withdraws those about functions that are gone,
// until ctx ends. What an earlier process asked is armed with the time it has left,
// and looked at: the configuration may have changed since.
func (c *Cards) Run(ctx context.Context) error {
	for c.inherit(ctx) != nil {
		if !pause(ctx, retry) {
			return nil
		}
	}
	c.News()
	for ctx.Err() == nil {
		wait := time.Hour
		if at, any := c.next(); any {
			wait = time.Until(at)
		}
		if wait <= 0 {
			wait = 0
			if err := c.expire(ctx); err != nil && ctx.Err() == nil {
				c.Log.Error("questions could not expire; trying again", "error", err)
				wait = retry
			}
		}
		if err := c.looked(ctx); err != nil && ctx.Err() == nil {
			c.Log.Error("questions about what is gone could not be withdrawn; trying again", "error", err)
			wait = min(wait, retry)
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-c.wake:
		case <-ctx.Done():
		}
		timer.Stop()
	}
	return nil
}

// inherit arms the pending cards of earlier processes.
func (c *Cards) inherit(ctx context.Context) error {
	var cards []Card
	err := c.DB.Read(ctx, func(q *store.Reader) (err error) {
		cards, err = AllWaiting(q)
		return err
	})
	if err != nil {
		if ctx.Err() == nil {
			c.Log.Error("pending questions cannot be read; trying again", "error", err)
		}
		return err
	}
	now := c.Wall.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, card := range cards {
		if _, armed := c.due[card.ID]; !armed {
			c.due[card.ID] = time.Now().Add(min(card.Expires.Sub(now), card.Expires.Sub(card.Requested)))
		}
	}
	return nil
}

func (c *Cards) next() (at time.Time, any bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, due := range c.due {
		if !any || due.Before(at) {
			at, any = due, true
		}
	}
	return at, any
}

// expired reports whether a pending card's time is over.
func (c *Cards) expired(id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	due, armed := c.due[id]
	return armed && !time.Now().Before(due)
}

// expire ends every question whose time is over.
func (c *Cards) expire(ctx context.Context) error {
	c.mu.Lock()
	var ids []string
	for id, due := range c.due {
		if !time.Now().Before(due) {
			ids = append(ids, id)
		}
	}
	c.mu.Unlock()
	for _, id := range ids {
		var gone bool
		err := c.DB.Write(ctx, func(tx *store.Tx) error {
			card, _, found, err := c.Decide(tx, id, Expired, "", "nobody decided in time")
			gone = !found || card.State.Terminal()
			return err
		})
		if err != nil {
			return fmt.Errorf("expire card %s: %w", id, err)
		}
		if gone {
			c.mu.Lock()
			delete(c.due, id)
			c.mu.Unlock()
		}
	}
	return nil
}

func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
