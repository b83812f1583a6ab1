package retention

import (
	"strings"
	"testing"

	"mindroom/internal/chat"
	"mindroom/internal/media"
	"mindroom/internal/store"
)

// A file goes when its retention is over, but not while a message that carries it
// is still on its way.
func TestFiles(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	kept, err := media.Open(media.Options{Folder: t.TempDir(), DB: h.db, Wall: h.wall})
	if err != nil {
		t.Fatal(err)
	}
	k := h.keeper()
	k.Media, k.Files = kept, 30*day
	put := func(event, text string) media.Ref {
		ref, err := kept.Keep(t.Context(), media.Owner{Kind: media.OwnedByEvent, ID: event, Room: room}, strings.NewReader(text), "", "")
		if err != nil {
			t.Fatal(err)
		}
		return ref
	}
	old, waits := put("$1", "old"), put("$2", "on its way")
	err = h.db.Write(t.Context(), func(tx *store.Tx) error {
		_, err := h.outbox.Enqueue(tx, chat.Delivery{ID: "pic", Conversation: chat.Conversation{Account: bot, Room: room}, Kind: chat.KindMessage,
			Type: "m.room.message", Content: []byte(`{"msgtype":"m.file","body":"x"}`), Attach: waits})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	pass := func() Deleted {
		t.Helper()
		d, err := k.Pass(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	gone := func(ref media.Ref) bool {
		_, err := kept.Load(t.Context(), ref)
		return media.KindOf(err) == media.Gone
	}
	if d := pass(); d.Files != 0 || gone(old) {
		t.Errorf("young files went: %+v", d)
	}
	h.now = h.now.Add(31 * day)
	// A clock that jumped is not believed; one that is there at the start is.
	if d := pass(); d.Files != 0 {
		t.Errorf("files went because the clock jumped: %+v", d)
	}
	again := h.keeper()
	again.Media, again.Files = kept, 30*day
	k = again
	if d := pass(); d.Files != 1 || !gone(old) || gone(waits) {
		t.Errorf("%+v, old gone %v, waiting gone %v", d, gone(old), gone(waits))
	}
	err = h.db.Write(t.Context(), func(tx *store.Tx) error {
		_, err := tx.Exec("UPDATE chat_deliveries SET state = 'sent'")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if d := pass(); d.Files != 1 || !gone(waits) {
		t.Errorf("after it was sent: %+v", d)
	}
}
