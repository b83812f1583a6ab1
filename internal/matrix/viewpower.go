package matrix

import (
	"encoding/json"

	"maunium.net/go/mautrix/event"
	"maunium.net/go/mautrix/id"
)

// powers is who may do what in a room, as far as it is asked here.
type powers struct {
	// levels is nil while no m.room.power_levels was seen: the creator alone may
	// then do what needs power.
	levels   *event.PowerLevelsEventContent
	creator  id.UserID
	creators []id.UserID // whom no levels bind: rooms from version 12 on
}

// note takes one state event. Nonsense counts as no power for anybody.
func (p *powers) note(e *event.Event) {
	if e.StateKey == nil || *e.StateKey != "" {
		return
	}
	switch e.Type.Type {
	case event.StatePowerLevels.Type:
		levels := &event.PowerLevelsEventContent{}
		if json.Unmarshal(e.Content.VeryRaw, levels) != nil {
			levels = &event.PowerLevelsEventContent{}
		}
		p.levels = levels
	case event.StateCreate.Type:
		var c event.CreateEventContent
		_ = json.Unmarshal(e.Content.VeryRaw, &c)
		p.creator, p.creators = e.Sender, nil
		if c.SupportsCreatorPower() {
			p.creators = append(c.AdditionalCreators, e.Sender)
		}
	}
}

// governs reports whether a user may change the room's power levels.
func (p *powers) governs(user id.UserID) bool {
	for _, c := range p.creators {
		if c == user {
			return true
		}
	}
	if p.levels == nil {
		return user == p.creator && user != ""
	}
	return p.levels.GetUserLevel(user) >= p.levels.GetEventLevel(event.StatePowerLevels)
}

// governs is powers.governs for who is in the room; ok is false while that is
// not reliable.
func (v *view) governs(room id.RoomID, user id.UserID) (may, ok bool) {
	v.mu.RLock()
	defer v.mu.RUnlock()
	rv := v.rooms[room]
	if rv == nil || !rv.loaded || rv.stale {
		return false, false
	}
	return rv.joined[user] && rv.powers.governs(user), true
}

// Governs reports whether a user is in a room and may change its power levels
// now; ok is false while that cannot be told.
func (n *Network) Governs(room, user string) (may, ok bool) {
	return n.view.governs(id.RoomID(room), id.UserID(user))
}
