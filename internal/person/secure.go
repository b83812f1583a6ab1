package person

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"

	"maunium.net/go/mautrix"
	"maunium.net/go/mautrix/event"
	"maunium.net/go/mautrix/id"

	"mindroom/internal/matrix/seal"
	"mindroom/internal/secret"
)

// Secure makes the client able to read and write in encrypted rooms, with keys
// in memory: what was said before is not read. Call it before anything else.
// It fails with seal.ErrLeftOut in a program without encryption.
func (c *Client) Secure(ctx context.Context) error { return c.secure(ctx, "", secret.Value{}) }

// secure keeps the keys in a file, encrypted with key; an empty path is memory.
func (c *Client) secure(ctx context.Context, path string, key secret.Value) error {
	// What cannot be read is shown as such, so the log would say it twice.
	device, err := seal.Open(ctx, seal.Config{Client: c.api, Path: path, Key: key, Rooms: &c.written, Log: slog.New(slog.DiscardHandler)})
	if err == nil {
		if err = device.Announce(ctx); err != nil {
			err = errors.Join(err, device.Close())
		}
	}
	if err != nil {
		return fmt.Errorf("encryption for %s: %w", c.UserID, err)
	}
	c.device = device
	return nil
}

// Encrypted asks the homeserver whether a room is encrypted.
func (c *Client) Encrypted(ctx context.Context, room string) (bool, error) {
	var encryption event.EncryptionEventContent
	err := c.api.StateEvent(ctx, id.RoomID(room), event.StateEncryption, "", &encryption)
	if err != nil && !errors.Is(err, mautrix.MNotFound) {
		return false, fmt.Errorf("ask whether %s is encrypted: %w", room, err)
	}
	return err == nil, nil
}

// written are the encrypted rooms that were written into. A device that
// changes concerns all of them: who is where is asked when the next text is
// encrypted.
type written struct {
	mu    sync.Mutex
	rooms map[id.RoomID]*event.EncryptionEventContent
}

var _ seal.Rooms = (*written)(nil)

func (w *written) note(room id.RoomID, c *event.EncryptionEventContent) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.rooms == nil {
		w.rooms = map[id.RoomID]*event.EncryptionEventContent{}
	}
	w.rooms[room] = c
}

func (w *written) Encryption(room id.RoomID) *event.EncryptionEventContent {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.rooms[room]
}

func (w *written) Shared(id.UserID) []id.RoomID {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Collect(maps.Keys(w.rooms))
}

// ErrNotSecured says that a room was seen to be encrypted, for which the client
// has no keys: nothing is written there in clear.
var ErrNotSecured = errors.New("the room is encrypted, and this program cannot encrypt")

// Encrypt turns a room's encryption on, for ever.
func (c *Client) Encrypt(ctx context.Context, room string) error {
	return c.SetState(ctx, room, event.StateEncryption.Type, "", map[string]any{"algorithm": string(id.AlgorithmMegolmV1)})
}

// sealed returns what goes over the wire.
func (c *Client) sealed(ctx context.Context, room id.RoomID, kind string, content map[string]any) (string, map[string]any, error) {
	if kind == event.EventReaction.Type {
		return kind, content, nil
	}
	if c.device == nil {
		if c.written.Encryption(room) != nil {
			return "", nil, fmt.Errorf("send to %s: %w", room, ErrNotSecured)
		}
		return kind, content, nil
	}
	var encryption event.EncryptionEventContent
	err := c.api.StateEvent(ctx, room, event.StateEncryption, "", &encryption)
	if errors.Is(err, mautrix.MNotFound) {
		return kind, content, nil
	}
	if err != nil {
		return "", nil, fmt.Errorf("ask whether %s is encrypted: %w", room, err)
	}
	c.written.note(room, &encryption)
	members, err := c.api.Members(ctx, room)
	if err != nil {
		return "", nil, fmt.Errorf("members of %s: %w", room, err)
	}
	var readers []id.UserID
	for _, e := range members.Chunk {
		if m := e.Content.AsMember().Membership; m == event.MembershipJoin || m == event.MembershipInvite {
			readers = append(readers, id.UserID(e.GetStateKey()))
		}
	}
	raw, err := json.Marshal(content)
	if err != nil {
		return "", nil, fmt.Errorf("content for %s: %w", room, err)
	}
	if raw, err = c.device.Encrypt(ctx, room, kind, raw, readers); err != nil {
		return "", nil, err
	}
	var envelope map[string]any
	err = json.Unmarshal(raw, &envelope)
	return event.EventEncrypted.Type, envelope, err
}

// hearRooms notes the rooms of a response that are said to be encrypted.
func (c *Client) hearRooms(r *mautrix.RespSync) {
	for room, joined := range r.Rooms.Join {
		for _, e := range slices.Concat(joined.State.Events, joined.Timeline.Events) {
			if e.Type.Type == event.StateEncryption.Type && e.StateKey != nil {
				// Nonsense says no less that the room is encrypted.
				c.written.note(room, &event.EncryptionEventContent{Algorithm: id.AlgorithmMegolmV1})
			}
		}
	}
}

// hearKeys lets the device handle a response, asks for the keys that did not come
// by themselves, and shows again what can be read by now.
func (c *Client) hearKeys(ctx context.Context, r *mautrix.RespSync) error {
	if c.device == nil {
		return nil
	}
	keys, err := c.received(ctx, r)
	if err != nil {
		return fmt.Errorf("keys of %s: %w", c.UserID, err)
	}
	if len(keys) > 0 {
		closed := c.feed.closed
		c.feed.closed = nil
		for _, one := range closed {
			if again := c.opened(ctx, one.RoomID.String(), one.Event); again.Type != event.EventEncrypted.Type {
				c.feed.events = append(c.feed.events, again)
			} else {
				c.feed.closed = append(c.feed.closed, one)
			}
		}
	}
	c.askForKeys(ctx)
	return nil
}

// received lets the device handle a response. It asks the homeserver for devices first, and
// an answer of that which breaks off is asked for again: what was handled already is
// known by then.
func (c *Client) received(ctx context.Context, r *mautrix.RespSync) (keys []seal.Session, err error) {
	for range 3 {
		if keys, err = c.device.Receive(ctx, r, c.feed.since == ""); err == nil || ctx.Err() != nil {
			return keys, err
		}
	}
	return keys, err
}

// askForKeys asks the senders of what cannot be read, each session once. What was
// there before the client is left: nobody owes it those keys.
func (c *Client) askForKeys(ctx context.Context) {
	for _, one := range c.feed.closed {
		_, err := c.device.Open(ctx, one.RoomID, one.Event)
		missing, ok := errors.AsType[*seal.Missing](err)
		if !ok || one.old || c.feed.asked[missing.Session] {
			continue
		}
		if err := c.device.Request(ctx, *missing); err == nil {
			c.feed.asked[missing.Session] = true // else it is asked with the next response
		}
	}
}

// opened is an event as a person sees it.
func (c *Client) opened(ctx context.Context, room string, e *event.Event) Event {
	seen := fromAPI(room, e)
	if seen.Type != event.EventEncrypted.Type {
		return seen
	}
	seen.Encrypted = true
	if c.device == nil {
		return seen
	}
	said, err := c.device.Open(ctx, id.RoomID(seen.Room), e)
	if err != nil {
		return seen
	}
	seen.Type, seen.Content = said.Type, map[string]any{}
	// What is no object says nothing.
	_ = json.Unmarshal(said.Content, &seen.Content)
	return seen
}
