package chat

import (
	"context"
	"fmt"
	"time"

	"mindroom/internal/store"
)

// Next takes what the account may send now: of each room at most the oldest
// delivery, unless that waits for its next attempt or is already being sent
// (invariant 5). They are Sending when it returns, so each must end in MarkSent,
// MarkFailed or Release. Deliveries whose target failed are failed on the way
// (invariant 8).
//
// next is when the account's earliest waiting attempt is due, zero when none
// waits: nothing signals that instant, so the pump arms a timer for it.
func (o *Outbox) Next(ctx context.Context, account string) (due []Delivery, next time.Time, err error) {
	// Most calls find nothing; they must not cost a commit.
	var waiting []Delivery
	err = o.db.Read(ctx, func(r *store.Reader) error {
		waiting, err = heads(r, account)
		return err
	})
	now := o.wall.Now()
	if err == nil && ready(waiting, now) {
		err = o.db.Write(ctx, func(tx *store.Tx) error {
			due, waiting, err = o.take(tx, account, now)
			return err
		})
	}
	if err != nil {
		return nil, time.Time{}, fmt.Errorf("next deliveries of %s: %w", account, err)
	}
	for _, d := range waiting {
		if waits(d, now) && (next.IsZero() || d.NextAttempt.Before(next)) {
			next = d.NextAttempt
		}
	}
	return due, next, nil
}

// heads returns the oldest delivery of each room that is not over.
func heads(q store.Queryer, account string) ([]Delivery, error) {
	return deliveries(q, `WHERE account = $1 AND state IN ('queued', 'sending') AND NOT EXISTS (
			SELECT 1 FROM chat_deliveries e WHERE e.account = d.account AND e.room_id = d.room_id AND e.state IN ('queued', 'sending') AND e.seq < d.seq)
		ORDER BY seq`, account)
}

func ready(heads []Delivery, now time.Time) bool {
	for _, d := range heads {
		if d.State == Queued && !waits(d, now) {
			return true
		}
	}
	return false
}

// longestWait is more than any pause between two attempts. What waits longer was
// put off by a clock that has been set back since, and is due.
const longestWait = time.Hour

// waits reports whether a delivery's next attempt is still to come.
func waits(d Delivery, now time.Time) bool {
	return d.State == Queued && d.NextAttempt.After(now) && d.NextAttempt.Sub(now) <= longestWait
}

// take moves every head that is due, again and again while a failed target
// uncovers another head of the same room.
func (o *Outbox) take(tx *store.Tx, account string, now time.Time) (due, waiting []Delivery, err error) {
	for {
		if waiting, err = heads(tx, account); err != nil {
			return nil, nil, err
		}
		failed := 0
		for _, d := range waiting {
			if d.State != Queued || waits(d, now) {
				continue
			}
			if d.Target.Delivery != "" {
				target, err := Get(tx, d.Target.Delivery)
				if err != nil {
					return nil, nil, err
				}
				// Older and of the same room, so it is over: sent, or never to be.
				if d.Target.Event = target.EventID; target.EventID == "" {
					failed++
					if err := o.move(tx, d, Failed, "", time.Time{}, KindTargetFailed); err != nil {
						return nil, nil, err
					}
					continue
				}
			}
			if err := o.move(tx, d, Sending, "", time.Time{}, d.ErrorKind); err != nil {
				return nil, nil, err
			}
			d.State, d.NextAttempt = Sending, time.Time{}
			d.Attempts++
			due = append(due, d)
		}
		if failed == 0 {
			return due, waiting, nil
		}
	}
}
