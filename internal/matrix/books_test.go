package matrix

import (
	"context"
	"sync"
	"testing"
	"time"

	"mindroom/internal/store"
)

func openBooks(t *testing.T, path string) (*store.DB, error) { return store.Open(t.Context(), path, Schema) }

type books struct {
	journal *memJournal
	outbox  *memOutbox
}

var shelf sync.Map

func newBooks(db *store.DB) books {
	b, _ := shelf.LoadOrStore(db.Path(), books{&memJournal{tokens: map[string]string{}, rows: map[string][]Event{}}, &memOutbox{wake: map[string]chan struct{}{}}})
	return b.(books)
}

type memJournal struct {
	mu     sync.Mutex
	tokens map[string]string
	rows   map[string][]Event
	hook   func()
}

func (j *memJournal) Token(_ context.Context, a string) (string, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.tokens[a], nil
}
func (j *memJournal) Record(_ context.Context, a, tok string, evs []Event) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.tokens[a] = tok
	for _, e := range evs {
		dup := false
		for _, k := range j.rows[a] {
			dup = dup || k.ID == e.ID
		}
		if !dup {
			j.rows[a] = append(j.rows[a], e)
		}
	}
	return nil
}
func (j *memJournal) Known(_ context.Context, a string, ids []string) (map[string]bool, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	m := map[string]bool{}
	for _, i := range ids {
		for _, k := range j.rows[a] {
			if k.ID == i {
				m[i] = true
			}
		}
	}
	return m, nil
}
func (j *memJournal) Newest(_ context.Context, a, room string) (t time.Time, _ error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, k := range j.rows[a] {
		if k.Room == room && k.At.After(t) {
			t = k.At
		}
	}
	return t, nil
}

type memRow struct {
	Delivery
	account, state, event string
	at                    time.Time
	kind                  Kind
}
type memOutbox struct {
	mu   sync.Mutex
	rows []*memRow
	wake map[string]chan struct{}
}

func (o *memOutbox) Wake(a string) <-chan struct{} {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.ch(a)
}
func (o *memOutbox) ch(a string) chan struct{} {
	if o.wake[a] == nil {
		o.wake[a] = make(chan struct{}, 1)
	}
	return o.wake[a]
}
func (o *memOutbox) put(a string, d Delivery) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.rows = append(o.rows, &memRow{Delivery: d, account: a, state: "queued"})
	select {
	case o.ch(a) <- struct{}{}:
	default:
	}
}
func (o *memOutbox) Next(_ context.Context, a string) (out []Delivery, next time.Time, _ error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	seen := map[string]bool{}
	for _, r := range o.rows {
		if r.account != a || r.state != "queued" || seen[r.Room] {
			continue
		}
		seen[r.Room] = true
		if r.at.After(time.Now()) {
			if next.IsZero() || r.at.Before(next) {
				next = r.at
			}
			continue
		}
		d := r.Delivery
		for _, tr := range o.rows {
			if tr.ID == d.Target && tr.event != "" {
				d.Target = tr.event
			}
		}
		out = append(out, d)
	}
	return out, next, nil
}
func (o *memOutbox) get(id string) *memRow {
	for _, r := range o.rows {
		if r.ID == id {
			return r
		}
	}
	return nil
}
func (o *memOutbox) Sent(_ context.Context, id, ev string) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	r := o.get(id)
	r.state, r.event = "sent", ev
	return nil
}
func (o *memOutbox) Retry(_ context.Context, id string, k Kind, at time.Time) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	r := o.get(id)
	r.at, r.kind = at, k
	r.Attempts++
	return nil
}
func (o *memOutbox) Fail(_ context.Context, id string, k Kind) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	r := o.get(id)
	r.state, r.kind = "failed", k
	return nil
}
