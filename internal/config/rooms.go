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

func (d *decoder) rooms(c *Config, root *section) {
	c.Rooms = map[string]Room{}
	for _, m := range root.members("rooms") {
		c.Rooms[m.entry.key] = Room{m.text("display_name"), m.text("description"), m.optionalBool("encrypted")}
		c.manage(m.entry.key)
	}
	for _, name := range c.agentOrder {
		c.manage(c.Agents[name].Rooms...)
	}
}

// manage notes the managed keys among rooms.
func (c *Config) manage(rooms ...string) {
	for _, room := range rooms {
		if !isRoomRef(room) && !slices.Contains(c.managedRooms, room) {
			c.managedRooms = append(c.managedRooms, room)
		}
	}
}

func (d *decoder) router(root *section) Router {
	s := root.sub("router")
	// A file without a router's model and without agents needs no model for it.
	if s.silent("model") && len(entries(root.get("agents"))) > 0 {
		d.refer(refRouterModel, &node{pos: s.n.pos, path: "router.model", text: s.text("model")})
	}
	return Router{Model: s.text("model"), AcceptInvites: s.boolean("accept_invites")}
}

func (root *section) internalUser() *InternalUser {
	if root.get("mindroom_user") == nil {
		return nil
	}
	s := root.sub("mindroom_user")
	return &InternalUser{s.text("username"), s.text("display_name")}
}
