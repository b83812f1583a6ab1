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
		if d.State == Queued && d.NextAttempt.After(now) && (next.IsZero() || d.NextAttempt.Before(next)) {
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
		if d.State == Queued && !d.NextAttempt.After(now) {
			return true
		}
	}
	return false
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
			if d.State != Queued || d.NextAttempt.After(now) {
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

// MarkSent records the event of a delivery. False means that the delivery was
// over already; the event is then remembered as a copy of it (invariant 9).
func (o *Outbox) MarkSent(tx *store.Tx, id, eventID string) (bool, error) {
	d, err := Get(tx, id)
	if err != nil {
		return false, err
	}
	return o.sent(tx, d, eventID)
}

func (o *Outbox) sent(tx *store.Tx, d Delivery, eventID string) (bool, error) {
	if eventID == "" {
		return false, fmt.Errorf("chat: delivery %s cannot be sent without an event id", d.ID)
	}
	_, err := tx.Exec("INSERT INTO chat_copies (account, event_id, delivery_id) VALUES ($1, $2, $3) ON CONFLICT (account, event_id) DO NOTHING", d.Account, eventID, d.ID)
	if err != nil {
		return false, fmt.Errorf("delivery %s: %w", d.ID, err)
	}
	if d.State.Over() {
		return false, nil
	}
	return true, o.move(tx, d, Sent, eventID, time.Time{}, "")
}

// Echo records that the homeserver told the account of an event it sent under a
// transaction id, as it does to the device that sent it. It settles a delivery
// whose answer was lost, without another attempt. False means that no delivery
// was settled by it.
func (o *Outbox) Echo(tx *store.Tx, account, txnID, eventID string) (bool, error) {
	found, err := deliveries(tx, "WHERE txn_id = $1 AND account = $2", txnID, account)
	if err != nil {
		return false, fmt.Errorf("delivery of transaction %s: %w", txnID, err)
	}
	if len(found) == 0 {
		return false, nil
	}
	return o.sent(tx, found[0], eventID)
}

// MarkFailed ends an attempt. With a retryAt the delivery is queued again until
// then, unless it is a progress edit that is out of date by now; a zero retryAt
// ends the delivery. False means that it was not being sent any more, because
// its answer came another way or it was released.
func (o *Outbox) MarkFailed(tx *store.Tx, id, kind string, retryAt time.Time) (bool, error) {
	d, err := Get(tx, id)
	if err != nil {
		return false, err
	}
	if d.State != Sending {
		return false, nil
	}
	if retryAt.IsZero() {
		return true, o.move(tx, d, Failed, "", time.Time{}, kind)
	}
	return true, o.requeue(tx, d, retryAt, kind)
}

func (o *Outbox) requeue(tx *store.Tx, d Delivery, at time.Time, kind string) error {
	if d.Progress {
		newer, err := edits(tx, d, "AND (NOT progress OR state = 'queued')")
		if err != nil {
			return err
		}
		if len(newer) > 0 {
			return o.move(tx, d, Superseded, "", time.Time{}, kind)
		}
	}
	return o.move(tx, d, Queued, "", at, kind)
}

// Release queues again what the account was sending, at once and with the same
// transaction ids: for a pump that stops or starts anew.
func (o *Outbox) Release(ctx context.Context, account string) error {
	if err := o.release(ctx, account); err != nil {
		return fmt.Errorf("release deliveries of %s: %w", account, err)
	}
	return nil
}

// release works on every account when account is "".
func (o *Outbox) release(ctx context.Context, account string) error {
	return o.db.Write(ctx, func(tx *store.Tx) error {
		inFlight, err := deliveries(tx, "WHERE state = 'sending' AND ($1 = '' OR account = $1) ORDER BY seq", account)
		if err != nil {
			return err
		}
		for _, d := range inFlight {
			if err := o.requeue(tx, d, time.Time{}, d.ErrorKind); err != nil {
				return err
			}
		}
		return nil
	})
}

// Wait returns when the delivery is over, with its state and, when Sent, its
// event. Its error is ctx's, ErrUnknown or the database's; that a delivery
// failed is a state, not an error.
func (o *Outbox) Wait(ctx context.Context, id string) (eventID string, state State, err error) {
	wake, end := o.wakes.subscribe(deliveryKey(id))
	defer end()
	for {
		var d Delivery
		err := o.db.Read(ctx, func(r *store.Reader) error {
			d, err = Get(r, id)
			return err
		})
		if err != nil {
			return "", "", err
		}
		if d.State.Over() {
			return d.EventID, d.State, nil
		}
		select {
		case <-wake:
		case <-ctx.Done():
			return "", d.State, fmt.Errorf("waiting for delivery %s: %w", id, context.Cause(ctx))
		}
	}
}
