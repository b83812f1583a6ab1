//go:build goolm

package seal

import (
	"context"
	"fmt"

	"maunium.net/go/mautrix"
	"maunium.net/go/mautrix/event"
	"maunium.net/go/mautrix/id"
)

func (d *device) Receive(ctx context.Context, r *mautrix.RespSync, first bool) ([]Session, error) {
	_ = d.store.taken() // of an earlier call, told then
	if first {
		d.mu.Lock()
		clear(d.shared)
		d.mu.Unlock()
	}
	if _, err := d.olm.FetchKeys(ctx, r.DeviceLists.Changed, false); err != nil {
		return nil, fmt.Errorf("learn of changed devices: %w", err)
	}
	for _, e := range r.ToDevice.Events {
		d.hear(ctx, e)
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("receive keys: %w", context.Cause(ctx))
	}
	d.restock(ctx, r.DeviceOTKCount.SignedCurve25519)
	d.olm.MarkOlmHashSavePoint(ctx)
	d.mend(ctx)
	if err := d.store.taken(); err != nil {
		return nil, fmt.Errorf("store keys: %w", err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	heard := d.heard
	d.heard = nil
	return heard, nil
}

// hear handles one event that was sent to the device. What is not about keys is
// left alone: secrets are given to nobody, and verification needs a person.
func (d *device) hear(ctx context.Context, e *event.Event) {
	e.Type.Class = event.ToDeviceEventType
	switch e.Type {
	case event.ToDeviceEncrypted, event.ToDeviceRoomKeyWithheld, event.ToDeviceRoomKeyRequest:
	default:
		return
	}
	if err := e.Content.ParseRaw(e.Type); err != nil {
		d.log.Warn("an event to this device is broken", "type", e.Type.Type, "sender", e.Sender, "error", err)
		return
	}
	if request, ok := e.Content.Parsed.(*event.RoomKeyRequestEventContent); ok {
		// Not by the library's own way, which leaves a goroutine behind.
		d.olm.HandleRoomKeyRequest(ctx, e.Sender, request)
		return
	}
	d.olm.HandleToDeviceEvent(ctx, e)
}

// restock keeps enough one-time keys at the homeserver. A failure is tried
// again with the next response.
func (d *device) restock(ctx context.Context, left int) {
	if left >= int(d.olm.GetAccount().Internal.MaxNumberOfOneTimeKeys()/2) {
		return
	}
	if left == 0 {
		left = -1 // perhaps only not said: the library asks
	}
	if err := d.olm.ShareKeys(ctx, left); err != nil {
		d.log.Warn("one-time keys not uploaded", "error", err)
	}
}

// mend makes new channels to devices whose old one broke, so that their next
// keys arrive.
func (d *device) mend(ctx context.Context) {
	d.mu.Lock()
	broken := d.wedged
	d.wedged = nil
	d.mu.Unlock()
	for _, w := range broken {
		d.olm.UnwedgeDevice(ctx, w.user, w.key)
	}
}

func (d *device) Request(ctx context.Context, m Missing) error {
	err := d.olm.SendRoomKeyRequest(ctx, m.Room, m.Key, m.ID, "", map[id.UserID][]id.DeviceID{m.Sender: {"*"}})
	if err != nil {
		return fmt.Errorf("ask %s for a key: %w", m.Sender, err)
	}
	return nil
}
