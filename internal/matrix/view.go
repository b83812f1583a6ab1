package matrix

import (
	"encoding/json"
	"maps"
	"slices"
	"sync"

	"maunium.net/go/mautrix"
	"maunium.net/go/mautrix/event"
	"maunium.net/go/mautrix/id"
)

// RoomInfo is what is known about a room's state. Empty strings mean unset.
type RoomInfo struct {
	ID        string
	Name      string
	Topic     string
	Alias     string // canonical alias
	Encrypted bool
	Members   int // joined
}

// view keeps the state of each room once, however many of our accounts are in
// it. One account, the reader, feeds a room, because two streams at different
// positions would overwrite each other's news with old news.
type view struct {
	mu    sync.RWMutex
	rooms map[id.RoomID]*roomView
	// sealed has the rooms that are encrypted, whoever of our accounts heard so
	// and whoever reads the room by now: there is no way back.
	sealed map[id.RoomID]*event.EncryptionEventContent
}

type roomView struct {
	reader string // account key
	loaded bool   // the full state was read and every change since applied
	stale  bool   // the reader lost its connection; changes may be missing
	info   RoomInfo
	joined map[id.UserID]bool
	asked  map[id.UserID]bool // invited, not joined yet
	powers powers
}

func newView() *view {
	return &view{rooms: map[id.RoomID]*roomView{}, sealed: map[id.RoomID]*event.EncryptionEventContent{}}
}

// apply takes one sync response of an account in one step, so that nobody sees
// half of it. It returns the rooms this account reads and still has to load,
// and those about which another answer is given from now on.
func (v *view) apply(account string, r *mautrix.RespSync) (load, changed []id.RoomID) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for room, part := range r.Rooms.Join {
		v.sealLocked(room, part.State.Events)
		v.sealLocked(room, part.Timeline.Events)
		rv := v.rooms[room]
		if rv == nil {
			rv = &roomView{reader: account}
			v.rooms[room] = rv
		}
		if rv.reader == account && rv.loaded {
			news := rv.stale
			for _, e := range slices.Concat(part.State.Events, part.Timeline.Events) {
				rv.note(e)
				news = news || e.StateKey != nil
			}
			rv.stale = false
			if news {
				changed = append(changed, room)
			}
		}
	}
	for room := range r.Rooms.Leave {
		if v.dropLocked(account, room) {
			changed = append(changed, room)
		}
	}
	for room, rv := range v.rooms {
		if rv.reader != account {
			continue
		}
		if rv.loaded && rv.stale {
			changed = append(changed, room)
		}
		rv.stale = false
		if !rv.loaded {
			load = append(load, room)
		}
	}
	return load, changed
}

// adopt makes account the reader of rooms that nobody reads.
func (v *view) adopt(account string, rooms []id.RoomID) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, room := range rooms {
		if v.rooms[room] == nil {
			v.rooms[room] = &roomView{reader: account}
		}
	}
}

// load replaces a room's state by what the server says it is now. Changes that
// the sync stream still has to tell are applied again on top, and end at the
// same place because a response is applied as a whole. False means that
// another account reads the room by now, and nothing changed.
func (v *view) load(account string, room id.RoomID, state []*event.Event) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	rv := v.rooms[room]
	if rv == nil || rv.reader != account {
		return false
	}
	rv.info, rv.loaded = RoomInfo{ID: room.String()}, true
	rv.joined, rv.asked, rv.powers = map[id.UserID]bool{}, map[id.UserID]bool{}, powers{}
	v.sealLocked(room, state)
	for _, e := range state {
		rv.note(e)
	}
	return true
}

// lost marks what an account reads as doubtful until it syncs again.
func (v *view) lost(account string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, rv := range v.rooms {
		if rv.reader == account {
			rv.stale = true
		}
	}
}

// release gives up everything an account reads; another account takes over
// when it hears of the room.
func (v *view) release(account string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	maps.DeleteFunc(v.rooms, func(_ id.RoomID, rv *roomView) bool { return rv.reader == account })
}

func (v *view) dropLocked(account string, room id.RoomID) bool {
	rv := v.rooms[room]
	if rv == nil || rv.reader != account {
		return false
	}
	delete(v.rooms, room)
	return true
}

// room returns what is known; false while that is not reliable.
func (v *view) room(room id.RoomID) (RoomInfo, bool) {
	v.mu.RLock()
	defer v.mu.RUnlock()
	rv := v.rooms[room]
	if rv == nil || !rv.loaded || rv.stale {
		return RoomInfo{}, false
	}
	info := rv.info
	info.Members, info.Encrypted = len(rv.joined), v.sealed[room] != nil
	return info, true
}

// member reports whether user is joined; ok is false while that is not
// reliable.
func (v *view) member(room id.RoomID, user id.UserID) (joined, ok bool) {
	v.mu.RLock()
	defer v.mu.RUnlock()
	rv := v.rooms[room]
	if rv == nil || !rv.loaded || rv.stale {
		return false, false
	}
	return rv.joined[user], true
}

// note takes one state event.
func (rv *roomView) note(e *event.Event) {
	if e.StateKey == nil {
		return
	}
	rv.powers.note(e)
	var c struct {
		Name  string `json:"name"`
		Topic string `json:"topic"`
		Alias string `json:"alias"`
	}
	// Anybody with the power can write nonsense here; nonsense counts as unset.
	_ = json.Unmarshal(e.Content.VeryRaw, &c)
	switch e.Type.Type {
	case event.StateMember.Type:
		user := id.UserID(*e.StateKey)
		delete(rv.joined, user)
		delete(rv.asked, user)
		switch membership(&e.Content) {
		case event.MembershipJoin:
			rv.joined[user] = true
		case event.MembershipInvite:
			rv.asked[user] = true
		}
	case event.StateRoomName.Type:
		rv.info.Name = c.Name
	case event.StateTopic.Type:
		rv.info.Topic = c.Topic
	case event.StateCanonicalAlias.Type:
		rv.info.Alias = c.Alias
	}
}

// readerOf is the key of the account that feeds a room; empty for none.
func (v *view) readerOf(room id.RoomID) string {
	v.mu.RLock()
	defer v.mu.RUnlock()
	if rv := v.rooms[room]; rv != nil {
		return rv.reader
	}
	return ""
}
