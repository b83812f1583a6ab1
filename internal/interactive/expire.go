package interactive

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"mindroom/internal/clock"
	"mindroom/internal/store"
)

const (
	// looksEvery bounds how long nobody looks: a question that is asked meanwhile
	// lasts for longer than that.
	looksEvery = time.Hour
	// retry is how soon an expiry that could not be stored is tried again.
	retry = 5 * time.Second
)

// Run lets questions expire until ctx ends, those of earlier processes among them:
// the rows say when. It returns nil.
func (d *Desk) Run(ctx context.Context) error {
	for {
		wait, err := d.expireDue(ctx)
		if err != nil {
			if ctx.Err() == nil {
				slog.Default().Error("questions with options could not expire; trying again", "error", err)
			}
			wait = retry
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil
		}
	}
}

// expireDue ends the questions whose time is over, shows it, and says when to look
// again.
func (d *Desk) expireDue(ctx context.Context) (wait time.Duration, err error) {
	now := d.Wall.Now()
	wait = looksEvery
	var due []Asked
	err = d.DB.Read(ctx, func(q *store.Reader) error {
		wait = looksEvery
		if due, err = list(q, `WHERE state = 'open' AND asked_at <= $1 ORDER BY seq`, clock.Stamp(now.Add(-lasting))); err != nil {
			return err
		}
		next, found, err := one(q, `WHERE state = 'open' AND asked_at > $1 ORDER BY asked_at LIMIT 1`, clock.Stamp(now.Add(-lasting)))
		if found {
			wait = min(wait, next.At.Add(lasting).Sub(now))
		}
		return err
	})
	if err != nil {
		return 0, err
	}
	for _, a := range due {
		err := d.DB.Write(ctx, func(tx *store.Tx) error {
			_, err := d.end(tx, a, Expired, -1, "")
			return err
		})
		if err != nil {
			return 0, fmt.Errorf("let the question of turn %s expire: %w", a.Turn, err)
		}
	}
	return max(wait, time.Millisecond), nil
}
