package matrix

import (
	"encoding/json"

	"maunium.net/go/mautrix/event"
	"maunium.net/go/mautrix/id"

	"mindroom/internal/matrix/seal"
)

var _ seal.Rooms = viewRooms{}

// viewRooms is the view as a device asks for it.
type viewRooms struct{ v *view }

func (r viewRooms) Encryption(room id.RoomID) *event.EncryptionEventContent {
	return r.v.encryption(room)
}

func (r viewRooms) Shared(user id.UserID) (rooms []id.RoomID) {
	r.v.mu.RLock()
	defer r.v.mu.RUnlock()
	for room, rv := range r.v.rooms {
		if rv.joined[user] || rv.asked[user] {
			rooms = append(rooms, room)
		}
	}
	return rooms
}

// encryption is how a room is encrypted; nil while nobody said that it is.
func (v *view) encryption(room id.RoomID) *event.EncryptionEventContent {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return v.sealed[room]
}

// seal notes that a room is encrypted.
func (v *view) seal(room id.RoomID, c *event.EncryptionEventContent) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.sealed[room] = c
}

// sealLocked notes it from events of any account's stream: it is true whoever
// hears it first.
func (v *view) sealLocked(room id.RoomID, events []*event.Event) {
	for _, e := range events {
		if e.Type.Type != event.StateEncryption.Type || e.StateKey == nil || *e.StateKey != "" {
			continue
		}
		c := &event.EncryptionEventContent{}
		// Nonsense says no less that the room is encrypted.
		_ = json.Unmarshal(e.Content.VeryRaw, c)
		v.sealed[room] = c
	}
}

// readers lists who is joined or invited; false while that is not reliable.
func (v *view) readers(room id.RoomID) (users []id.UserID, ok bool) {
	v.mu.RLock()
	defer v.mu.RUnlock()
	rv := v.rooms[room]
	if rv == nil || !rv.loaded || rv.stale {
		return nil, false
	}
	for u := range rv.joined {
		users = append(users, u)
	}
	for u := range rv.asked {
		users = append(users, u)
	}
	return users, true
}
