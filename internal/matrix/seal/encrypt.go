//go:build goolm

package seal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"maunium.net/go/mautrix/crypto"
	"maunium.net/go/mautrix/event"
	"maunium.net/go/mautrix/id"
)

const relation = "m.relates_to"

func (d *device) Encrypt(ctx context.Context, room id.RoomID, kind string, content json.RawMessage, members []id.UserID) (json.RawMessage, error) {
	var inner map[string]json.RawMessage
	if err := json.Unmarshal(content, &inner); err != nil {
		return nil, fmt.Errorf("encrypt for %s: the content is not a JSON object: %w", room, err)
	}
	relates, related := inner[relation]
	delete(inner, relation)
	sealed, err := d.encrypt(ctx, room, kind, inner, members)
	if err != nil {
		return nil, fmt.Errorf("encrypt for %s: %w", room, err)
	}
	out, err := json.Marshal(sealed)
	if err != nil || !related {
		return out, err
	}
	// Outside, where a homeserver finds threads and edits, and as it was written:
	// the library would drop what it does not know.
	var envelope map[string]json.RawMessage
	if err := json.Unmarshal(out, &envelope); err != nil {
		return nil, fmt.Errorf("encrypt for %s: %w", room, err)
	}
	envelope[relation] = relates
	return json.Marshal(envelope)
}

func (d *device) encrypt(ctx context.Context, room id.RoomID, kind string, content any, members []id.UserID) (*event.EncryptedEventContent, error) {
	who := roster(members)
	if !d.sharedWith(room, who) {
		if err := d.store.RemoveOutboundGroupSession(ctx, room); err != nil {
			return nil, err
		}
		// Changes of devices are told while one syncs; whoever was away asks.
		if _, err := d.olm.FetchKeys(ctx, members, true); err != nil {
			return nil, err
		}
	}
	of := event.Type{Type: kind, Class: event.MessageEventType}
	sealed, err := d.olm.EncryptMegolmEvent(ctx, room, of, content)
	if errors.Is(err, crypto.ErrNoGroupSession) || errors.Is(err, crypto.ErrSessionExpired) || errors.Is(err, crypto.ErrSessionNotShared) {
		if err := d.olm.ShareGroupSession(ctx, room, members); err != nil {
			return nil, err
		}
		sealed, err = d.olm.EncryptMegolmEvent(ctx, room, of, content)
	}
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.shared[room] = who
	return sealed, nil
}

func (d *device) sharedWith(room id.RoomID, who string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.shared[room] == who
}

// roster names a set of members, whatever their order.
func roster(members []id.UserID) string {
	names := make([]string, len(members))
	for i, m := range members {
		names[i] = m.String()
	}
	slices.Sort(names)
	return strings.Join(slices.Compact(names), " ")
}
