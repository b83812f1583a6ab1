package chat

import (
	"context"
	"fmt"
	"time"

	"mindroom/internal/store"
)

// MarkSent records the event of a delivery. False means that the delivery was
// over already; the event is then remembered as a copy of it, and a message or
// reaction is taken back (invariant 9).
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
		return false, o.takeBack(tx, d, eventID)
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
		return true, o.giveUp(tx, d, kind)
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
