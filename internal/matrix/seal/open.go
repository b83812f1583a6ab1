//go:build goolm

package seal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"maunium.net/go/mautrix/crypto"
	"maunium.net/go/mautrix/crypto/olm"
	"maunium.net/go/mautrix/event"
	"maunium.net/go/mautrix/id"
)

func (d *device) Open(ctx context.Context, room id.RoomID, e *event.Event) (Opened, error) {
	evt := *e
	evt.RoomID, evt.Type = room, event.EventEncrypted
	evt.Content = event.Content{}
	err := json.Unmarshal(e.Content.VeryRaw, &evt.Content)
	if err == nil {
		err = evt.Content.ParseRaw(evt.Type)
	}
	if err != nil {
		return Opened{}, unreadable(e, err)
	}
	sealed := evt.Content.AsEncrypted()
	plain, err := d.olm.DecryptMegolmEvent(ctx, &evt)
	switch {
	case err == nil:
	case errors.Is(err, crypto.ErrNoSessionFound), errors.Is(err, crypto.ErrGroupSessionWithheld), errors.Is(err, olm.ErrUnknownMessageIndex):
		return Opened{}, &Missing{Session: Session{room, sealed.SessionID}, Sender: e.Sender, Key: sealed.SenderKey}
	case passing(ctx, err):
		return Opened{}, fmt.Errorf("open %s: %w", e.ID, err)
	default:
		return Opened{}, unreadable(e, err)
	}
	key, err := d.store.GetGroupSession(ctx, room, sealed.SessionID)
	if err != nil {
		return Opened{}, fmt.Errorf("open %s: %w", e.ID, err)
	}
	if key != nil && key.SourceUser != e.Sender && key.SourceUser != d.olm.Client.UserID {
		return Opened{}, unreadable(e, fmt.Errorf("its key came from %s, who did not write it", key.SourceUser))
	}
	return Opened{Type: plain.Type.Type, Content: plain.Content.VeryRaw}, nil
}

// passing: the disk's fault or the end of ctx, not the event's.
func passing(ctx context.Context, err error) bool {
	_, ours := errors.AsType[*storeError](err)
	return ours || ctx.Err() != nil
}

func unreadable(e *event.Event, err error) error {
	return fmt.Errorf("event %s: %w: %w", e.ID, ErrUnreadable, err)
}
