package matrix

import (
	"context"
	"testing"

	"mindroom/internal/chat"
	"mindroom/internal/store"
)

// books is what a process writes down: the database and the two ends of it.
type books struct {
	db      *store.DB
	journal *chat.Journal
	outbox  *chat.Outbox
}

func openBooks(t *testing.T, path string) books {
	t.Helper()
	db, err := store.Open(t.Context(), path, chat.Schema, Schema)
	must(t, err)
	outbox, err := chat.OpenOutbox(t.Context(), db, nil)
	must(t, err)
	return books{db, chat.NewJournal(db, nil), outbox}
}

// user is the id of an account by its key.
func (r *rig) user(key string) string {
	r.t.Helper()
	return r.net.Account(key).UserID
}

// heard is everything an account's journal has that nobody took yet.
func (r *rig) heard(key string) []chat.Event {
	r.t.Helper()
	events, err := r.journal.New(r.t.Context(), r.user(key), 10_000)
	must(r.t, err)
	return events
}

// await returns when ok says so; it asks after each commit that brought an
// account something new.
func (r *rig) await(ctx context.Context, what string, ok func() bool) {
	r.t.Helper()
	wake := make(chan struct{}, 1)
	for user := range r.net.Accounts() {
		ch, end := r.journal.Subscribe(r.user(user))
		defer end()
		stop := make(chan struct{})
		defer close(stop)
		go func() {
			for {
				select {
				case <-ch:
					select {
					case wake <- struct{}{}:
					default:
					}
				case <-stop:
					return
				}
			}
		}()
	}
	for !ok() {
		select {
		case <-wake:
		case <-ctx.Done():
			r.t.Fatalf("waited for %s: %v", what, context.Cause(ctx))
		}
	}
}

// say enqueues deliveries of an account in one transaction.
func (r *rig) say(key string, ds ...chat.Delivery) {
	r.t.Helper()
	must(r.t, r.db.Write(r.t.Context(), func(tx *store.Tx) error {
		for _, d := range ds {
			d.Account = r.user(key)
			if _, err := r.outbox.Enqueue(tx, d); err != nil {
				return err
			}
		}
		return nil
	}))
}

// settled waits until a delivery is over and returns its row.
func (r *rig) settled(ctx context.Context, id string) chat.Delivery {
	r.t.Helper()
	_, _, err := r.outbox.Wait(ctx, id)
	must(r.t, err)
	return r.delivery(id)
}

func (r *rig) delivery(id string) (d chat.Delivery) {
	r.t.Helper()
	must(r.t, r.db.Read(r.t.Context(), func(q *store.Reader) (err error) {
		d, err = chat.Get(q, id)
		return err
	}))
	return d
}
