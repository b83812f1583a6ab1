package chat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"mindroom/internal/clock"
	"mindroom/internal/store"
)

// Outbox is what is to be said.
type Outbox struct {
	db    *store.DB
	wall  clock.Wall
	wakes wakes // by account and by delivery

	// GivenUp hears, in the transaction that would end it, of a delivery that
	// cannot be sent, and of the kind of its fault. Content that it returns for a
	// message with a file is sent under the same id without the file (invariant
	// 11). It is set before anything is sent; nil is nobody.
	GivenUp func(tx *store.Tx, d Delivery, kind string) (instead json.RawMessage, err error)
}

// Wake keys of accounts and of deliveries are apart.
func accountKey(account string) string { return "account " + account }
func deliveryKey(id string) string     { return "delivery " + id }

// ErrUnknown says that no delivery has the id.
var ErrUnknown = errors.New("chat: no such delivery")

// OpenOutbox returns the outbox of db, which must have Schema. Deliveries that
// an earlier process left in flight are queued again, with the transaction ids
// they had: make one outbox a database.
func OpenOutbox(ctx context.Context, db *store.DB, wall clock.Wall) (*Outbox, error) {
	o := &Outbox{db: db, wall: wall}
	if err := o.release(ctx, ""); err != nil {
		return nil, fmt.Errorf("queue what the last process was sending: %w", err)
	}
	return o, nil
}

// Enqueue adds a delivery in the transaction of the decision that wants it
// said. False means that the id is known: nothing was added, whatever the
// content (invariant 4). An edit supersedes progress edits of its target that
// are still queued (invariant 7). A target that is a delivery must have been
// enqueued before, by the same account to the same room.
func (o *Outbox) Enqueue(tx *store.Tx, d Delivery) (fresh bool, err error) {
	d.Progress = false
	if err := d.check(); err != nil {
		return false, fmt.Errorf("chat: delivery %q: %w", d.ID, err)
	}
	err = settleTarget(tx, &d)
	if err == nil {
		fresh, err = o.add(tx, d)
	}
	if err == nil && fresh && d.Kind == KindEdit {
		err = o.supersede(tx, d)
	}
	if err != nil {
		return false, fmt.Errorf("enqueue %s: %w", d.ID, err)
	}
	return fresh, nil
}

// settleTarget names a target one way: an event that is a delivery of ours is
// that delivery, so that edits of it are found whichever way they name it.
func settleTarget(tx *store.Tx, d *Delivery) error {
	if d.Target.Event == "" {
		return nil
	}
	t, ours, err := ByEvent(tx, d.Account, d.Target.Event)
	if err == nil && ours && t.EventID == d.Target.Event {
		d.Target = Target{Delivery: t.ID}
	}
	return err
}

func (o *Outbox) add(tx *store.Tx, d Delivery) (bool, error) {
	if d.Target.Delivery != "" {
		t, err := Get(tx, d.Target.Delivery)
		if err != nil {
			return false, fmt.Errorf("target: %w", err)
		}
		if t.Account != d.Account || t.Room != d.Room {
			return false, fmt.Errorf("chat: target %s is of another account or room", t.ID)
		}
	}
	attach, err := d.attached()
	if err != nil {
		return false, err
	}
	now := o.wall.Stamp()
	n, err := tx.Exec(`INSERT INTO chat_deliveries
		(id, seq, account, room_id, thread_root, kind, type, content, target_delivery, target_event, progress, txn_id,
			state, event_id, attempts, next_attempt, error_kind, created_at, updated_at, attach)
		VALUES ($1, (SELECT coalesce(max(seq), 0) + 1 FROM chat_deliveries), $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 'queued', '', 0, '', '', $12, $12, $13)
		ON CONFLICT (id) DO NOTHING`,
		d.ID, d.Account, d.Room, d.ThreadRoot, string(d.Kind), d.Type, string(d.Content), d.Target.Delivery, d.Target.Event, d.Progress, txnID(d.ID), now, attach)
	if err != nil || n == 0 {
		return false, err
	}
	o.wakeAccount(tx, d.Account)
	return true, nil
}

// supersede ends the queued progress edits of the target of d.
func (o *Outbox) supersede(tx *store.Tx, d Delivery) error {
	stale, err := edits(tx, d, "AND progress AND state = 'queued'")
	if err != nil {
		return err
	}
	for _, old := range stale {
		if err := o.move(tx, old, Superseded, "", old.NextAttempt, old.ErrorKind); err != nil {
			return err
		}
	}
	return nil
}

// EnqueueProgress shows an intermediate state of a message: an edit of d.Target
// with d.Content. While one for the target is queued, that one takes the new
// content; after a final edit of the target there is nothing more to show
// (invariant 7). The outbox makes the ids; d.ID and d.Kind are ignored. False
// means that a final edit was there and nothing will be shown.
func (o *Outbox) EnqueueProgress(tx *store.Tx, d Delivery) (shown bool, err error) {
	d.Kind, d.Progress, d.ID = KindEdit, true, "progress"
	if err := d.check(); err != nil {
		return false, fmt.Errorf("chat: progress of %s%s: %w", d.Target.Delivery, d.Target.Event, err)
	}
	if err = settleTarget(tx, &d); err == nil {
		shown, err = o.progress(tx, d)
	}
	if err != nil {
		return false, fmt.Errorf("progress of %s%s: %w", d.Target.Delivery, d.Target.Event, err)
	}
	return shown, nil
}

func (o *Outbox) progress(tx *store.Tx, d Delivery) (bool, error) {
	final, err := edits(tx, d, "AND NOT progress")
	if err != nil || len(final) > 0 {
		return false, err
	}
	queued, err := edits(tx, d, "AND progress AND state = 'queued'")
	if err != nil {
		return false, err
	}
	for _, old := range queued {
		if old.Attempts == 0 {
			_, err := tx.Exec("UPDATE chat_deliveries SET content = $1, updated_at = $2 WHERE id = $3", string(d.Content), o.wall.Stamp(), old.ID)
			return true, err
		}
		// It may have arrived with its old content, and its transaction id would
		// hide any other: a new content needs a new delivery.
		if err := o.move(tx, old, Superseded, "", old.NextAttempt, old.ErrorKind); err != nil {
			return false, err
		}
	}
	var last int64
	if err := tx.QueryRow("SELECT coalesce(max(seq), 0) FROM chat_deliveries").Scan(&last); err != nil {
		return false, err
	}
	d.ID = fmt.Sprintf("progress %d %s%s", last+1, d.Target.Delivery, d.Target.Event)
	return o.add(tx, d)
}

func (o *Outbox) wakeAccount(tx *store.Tx, account string) {
	tx.AfterCommit(func() { o.wakes.signal(accountKey(account)) })
}

// Wake returns a channel that gets a signal after each commit that may have
// given the account something to send, and the function that ends it. Call Next
// once after subscribing.
func (o *Outbox) Wake(account string) (<-chan struct{}, func()) {
	return o.wakes.subscribe(accountKey(account))
}
