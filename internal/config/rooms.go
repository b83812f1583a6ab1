package config

import "slices"

// Room describes a managed room.
type Room struct {
	DisplayName string // empty: made from the key
	Description string
	Encrypted   *bool // nil: as matrix_room_access says
}

// Router is the entity that owns rooms.
type Router struct {
	Model         string // a key of Config.Models
	AcceptInvites bool
}

// InternalUser is a managed account that is no agent.
type InternalUser struct {
	Username    string // local part; default mindroom_user
	DisplayName string // default MindRoomUser
}

func (d *decoder) rooms(c *Config, n *node) map[string]Room {
	rooms := map[string]Room{}
	for _, e := range d.entries(n) {
		if isRoomRef(e.key) {
			d.failAt(e.keyPos, e.value.path, "must be a room key, not an alias or an id")
		} else {
			d.roomForm(e.keyPos, e.value.path, e.key)
		}
		s := d.section(e.value, "rooms.*")
		rooms[e.key] = Room{s.text("display_name", ""), s.text("description", ""), s.optionalBool("encrypted")}
		s.done()
		c.manage(e.key)
	}
	for _, name := range c.agentOrder {
		c.manage(c.Agents[name].Rooms...)
	}
	return rooms
}

// manage notes the managed keys among rooms.
func (c *Config) manage(rooms ...string) {
	for _, room := range rooms {
		if !isRoomRef(room) && !slices.Contains(c.managedRooms, room) {
			c.managedRooms = append(c.managedRooms, room)
		}
	}
}

// roomThreadModes reads the modes an agent has in single rooms.
func (d *decoder) roomThreadModes(n *node) map[string]ThreadMode {
	modes := map[string]ThreadMode{}
	for _, e := range d.entries(n) {
		d.referRoom(e)
		modes[e.key] = ThreadMode(d.choice(e.value, string(ModeThread), string(ModeThread), string(ModeRoom)))
	}
	return modes
}

func (d *decoder) roomModels(n *node) map[string]string {
	models := map[string]string{}
	for _, e := range d.entries(n) {
		d.referRoom(e)
		if models[e.key] = d.text(e.value); models[e.key] != "" {
			d.refer(refModel, e.value.pos, e.value.path, models[e.key])
		}
	}
	return models
}

func (d *decoder) router(root *section) Router {
	n := root.get("router")
	s := d.section(n, "router")
	if n != nil {
	}
	r := Router{Model: s.text("model", "default"), AcceptInvites: s.boolean("accept_invites", true)}
	// A file without a router section and without agents needs no model for it.
	if v := s.get("model"); v != nil {
		d.refer(refModel, v.pos, v.path, r.Model)
	} else if agents := root.get("agents"); agents != nil && len(agents.entries) > 0 {
		d.refer(refRouterModel, s.n.pos, "router.model", r.Model)
	}
	s.done()
	return r
}

func (d *decoder) internalUser(n *node) *InternalUser {
	if n == nil {
		return nil
	}
	s := d.section(n, "mindroom_user")
	u := &InternalUser{s.text("username", "mindroom_user"), s.text("display_name", "MindRoomUser")}
	if v := s.get("username"); v != nil && !localpartForm.MatchString(u.Username) {
		d.fail(v, "must be the local part of a Matrix id: small letters, digits and ._=/+- only, without @ and server")
	}
	s.done()
	return u
}

// teams have no effect yet, but their names and rooms may be referred to.
func (d *decoder) teams(c *Config, root *section) {
	n := root.get("teams")
	if n == nil {
		return
	}
	root.unheeded("teams")
	for _, e := range d.entries(n) {
		d.entity(e)
		if c.Agents[e.key] != nil {
			d.failAt(e.keyPos, e.value.path, "an agent has this name too; rename one of them")
		}
		c.teams = append(c.teams, e.key)
		if rooms := e.value.find("rooms"); rooms != nil && rooms.kind == kindList {
			c.manage(d.texts(rooms)...)
		}
	}
}
