package chat

import (
	"encoding/json"
	"fmt"
	"time"

	"mindroom/internal/clock"
	"mindroom/internal/store"
)

const deliveryColumns = `id, seq, account, room_id, thread_root, kind, type, content, target_delivery, target_event, progress, txn_id,
	state, event_id, attempts, next_attempt, error_kind, created_at, attach, uploaded`

func scanDelivery(rows *store.Rows) (d Delivery, err error) {
	var content, next, created, attach, uploaded string
	err = rows.Scan(&d.ID, &d.Seq, &d.Account, &d.Room, &d.ThreadRoot, &d.Kind, &d.Type, &content, &d.Target.Delivery, &d.Target.Event, &d.Progress, &d.TxnID,
		&d.State, &d.EventID, &d.Attempts, &next, &d.ErrorKind, &created, &attach, &uploaded)
	if err != nil {
		return Delivery{}, err
	}
	d.Content = json.RawMessage(content)
	if err := d.readAttached(attach, uploaded); err != nil {
		return Delivery{}, err
	}
	if d.CreatedAt, err = clock.ParseStamp(created); err != nil {
		return Delivery{}, fmt.Errorf("delivery %s: %w", d.ID, err)
	}
	if next != "" {
		if d.NextAttempt, err = clock.ParseStamp(next); err != nil {
			return Delivery{}, fmt.Errorf("delivery %s: %w", d.ID, err)
		}
	}
	return d, nil
}

// deliveries runs a query of whole rows; where continues the statement.
func deliveries(q store.Queryer, where string, args ...any) (out []Delivery, err error) {
	err = store.Each(q, func(rows *store.Rows) error {
		d, err := scanDelivery(rows)
		out = append(out, d)
		return err
	}, "SELECT "+deliveryColumns+" FROM chat_deliveries d "+where, args...)
	return out, err
}

// edits returns edits of the target of d, oldest first.
func edits(q store.Queryer, d Delivery, and string) ([]Delivery, error) {
	return deliveries(q, "WHERE account = $1 AND kind = 'edit' AND target_delivery = $2 AND ($2 <> '' OR target_event = $3) "+and+" ORDER BY seq",
		d.Account, d.Target.Delivery, d.Target.Event)
}

// Get returns the delivery of that id, or ErrUnknown.
func Get(q store.Queryer, id string) (Delivery, error) {
	found, err := deliveries(q, "WHERE id = $1", id)
	if err != nil {
		return Delivery{}, fmt.Errorf("delivery %s: %w", id, err)
	}
	if len(found) == 0 {
		return Delivery{}, fmt.Errorf("%w: %s", ErrUnknown, id)
	}
	return found[0], nil
}

// ByEvent returns the delivery that an event of our own is a copy of; false when
// the event is none of the account's deliveries.
func ByEvent(q store.Queryer, account, eventID string) (Delivery, bool, error) {
	found, err := deliveries(q, "WHERE id = (SELECT delivery_id FROM chat_copies WHERE account = $1 AND event_id = $2)", account, eventID)
	if err != nil {
		return Delivery{}, false, fmt.Errorf("delivery of event %s: %w", eventID, err)
	}
	if len(found) == 0 {
		return Delivery{}, false, nil
	}
	return found[0], true, nil
}

// move is the only statement that changes a state.
func (o *Outbox) move(tx *store.Tx, d Delivery, to State, eventID string, next time.Time, errorKind string) error {
	if !allowed[d.State][to] {
		return fmt.Errorf("chat: delivery %s is %s and cannot become %s", d.ID, d.State, to)
	}
	attempts := d.Attempts
	if to == Sending {
		attempts++
	}
	stamp := ""
	if !next.IsZero() {
		stamp = clock.Stamp(next)
	}
	n, err := tx.Exec(`UPDATE chat_deliveries SET state = $1, event_id = $2, attempts = $3, next_attempt = $4, error_kind = $5, target_event = $6, updated_at = $7
		WHERE id = $8 AND state = $9`,
		string(to), eventID, attempts, stamp, errorKind, d.Target.Event, o.wall.Stamp(), d.ID, string(d.State))
	if err != nil {
		return fmt.Errorf("delivery %s to %s: %w", d.ID, to, err)
	}
	if n != 1 {
		return fmt.Errorf("chat: delivery %s is no longer %s", d.ID, d.State)
	}
	if to.Over() {
		tx.AfterCommit(func() { o.wakes.signal(deliveryKey(d.ID)) })
	}
	if to != Sending { // its room may have something else to send
		o.wakeAccount(tx, d.Account)
	}
	return nil
}
