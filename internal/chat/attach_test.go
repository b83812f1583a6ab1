package chat

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"time"

	"mindroom/internal/media"
	"mindroom/internal/store"
)

// Invariant 11: what a message carries survives the process, is held until the
// message is over, and where it was uploaded to is known to every attempt.
func TestAttach(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	ref := media.Ref{Digest: "d1", MIME: "image/png", Name: "cat.png", Size: 3}
	d := Delivery{ID: "pic", Conversation: Conversation{Account: bot, Room: roomA}, Kind: KindMessage, Type: typeMessage, Content: content("cat.png"), Attach: ref}
	b.write(t, func(tx *store.Tx) error {
		_, err := b.outbox.Enqueue(tx, d)
		return err
	})
	held := func() (digests []string) {
		err := b.db.Read(t.Context(), func(r *store.Reader) (err error) {
			digests, err = Held(r)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return digests
	}
	next := func() Delivery {
		due, _, err := b.outbox.Next(t.Context(), bot)
		if err != nil || len(due) != 1 {
			t.Fatalf("%+v, %v", due, err)
		}
		return due[0]
	}
	if got := next(); got.Attach != ref || got.Uploaded != nil || !slices.Equal(held(), []string{"d1"}) {
		t.Errorf("first attempt %+v, held %v", got, held())
	}
	where := json.RawMessage(`{"url":"mxc://a/b"}`)
	b.write(t, func(tx *store.Tx) error {
		if err := b.outbox.MarkUploaded(tx, "pic", where); err != nil {
			return err
		}
		_, err := b.outbox.MarkFailed(tx, "pic", KindUnreachable, b.now.Add(time.Second))
		return err
	})
	b.now = b.now.Add(time.Minute)
	b.reopen(t)
	if got := next(); string(got.Uploaded) != string(where) || got.Attach != ref || got.Attempts != 2 {
		t.Errorf("second attempt %+v", got)
	}
	b.write(t, func(tx *store.Tx) error {
		_, err := b.outbox.MarkSent(tx, "pic", "$pic")
		return err
	})
	if len(held()) != 0 {
		t.Errorf("held after the end: %v", held())
	}
	err := b.db.Write(t.Context(), func(tx *store.Tx) error { return b.outbox.MarkUploaded(tx, "nothing", where) })
	if !errors.Is(err, ErrUnknown) {
		t.Errorf("an upload for nothing: %v", err)
	}
	d.ID, d.Kind, d.Target = "edit", KindEdit, Target{Delivery: "pic"}
	if err := b.db.Write(t.Context(), func(tx *store.Tx) error { _, err := b.outbox.Enqueue(tx, d); return err }); err == nil {
		t.Error("an edit carries a file")
	}
}
