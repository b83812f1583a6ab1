package chat

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"go.uber.org/goleak"

	"mindroom/internal/store"
	"mindroom/internal/store/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	bot   = "@bot:example.org"
	alice = "@alice:example.org"
	roomA = "!a:example.org"
	roomB = "!b:example.org"
)

// bundle is a fresh store with both halves and a clock that tests move.
type bundle struct {
	db      *store.DB
	outbox  *Outbox
	journal *Journal
	now     time.Time
}

func newBundle(tb testing.TB) *bundle {
	tb.Helper()
	b := &bundle{db: storetest.Open(tb, Schema), now: time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)}
	b.journal = NewJournal(b.db, b.wall)
	b.reopen(tb)
	return b
}

func (b *bundle) wall() time.Time { return b.now }

// reopen is what a new process does.
func (b *bundle) reopen(tb fataler) {
	o, err := OpenOutbox(context.Background(), b.db, b.wall)
	if err != nil {
		tb.Fatal(err)
	}
	b.outbox = o
}

// fataler is a *testing.T or a *rapid.T.
type fataler interface {
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

func (b *bundle) write(tb fataler, fn func(tx *store.Tx) error) {
	if err := b.db.Write(context.Background(), fn); err != nil {
		tb.Fatal(err)
	}
}

func (b *bundle) enqueue(tb fataler, d Delivery) (fresh bool) {
	b.write(tb, func(tx *store.Tx) (err error) {
		fresh, err = b.outbox.Enqueue(tx, d)
		return err
	})
	return fresh
}

func (b *bundle) progress(tb fataler, room, target, body string) (shown bool) {
	b.write(tb, func(tx *store.Tx) (err error) {
		d := edit("", room, target, body)
		shown, err = b.outbox.EnqueueProgress(tx, d)
		return err
	})
	return shown
}

func (b *bundle) next(tb fataler) []Delivery {
	due, _, err := b.outbox.Next(context.Background(), bot)
	if err != nil {
		tb.Fatal(err)
	}
	return due
}

func (b *bundle) sent(tb fataler, id, event string) (moved bool) {
	b.write(tb, func(tx *store.Tx) (err error) {
		moved, err = b.outbox.MarkSent(tx, id, event)
		return err
	})
	return moved
}

func (b *bundle) failed(tb fataler, id, kind string, retryAt time.Time) (moved bool) {
	b.write(tb, func(tx *store.Tx) (err error) {
		moved, err = b.outbox.MarkFailed(tx, id, kind, retryAt)
		return err
	})
	return moved
}

func (b *bundle) get(tb fataler, id string) (d Delivery) {
	err := b.db.Read(context.Background(), func(r *store.Reader) (err error) {
		d, err = Get(r, id)
		return err
	})
	if err != nil {
		tb.Fatal(err)
	}
	return d
}

func content(body string) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(`{"msgtype":"m.text","body":%q}`, body))
}

func message(id, room, body string) Delivery {
	return Delivery{ID: id, Conversation: Conversation{Account: bot, Room: room}, Kind: KindMessage, Type: typeMessage, Content: content(body)}
}

func edit(id, room, target, body string) Delivery {
	d := message(id, room, body)
	d.Kind, d.Target = KindEdit, Target{Delivery: target}
	return d
}
