package config

// warnUnreachable tells an author whose agents nobody can talk to, because silence in a room is hard to explain afterwards.
func (d *decoder) warnUnreachable(c *Config, section *node) {
	if len(c.agentOrder) == 0 {
		return
	}
	pos, path := Pos{d.file, 1, 1}, "authorization"
	if section != nil {
		pos = section.pos
	}
	a := c.Authorization
	allowed := a.DefaultRoomAccess || len(a.GlobalUsers) > 0
	for _, users := range a.RoomPermissions {
		allowed = allowed || len(users) > 0
	}
	if !allowed {
		d.warn(pos, path, "nobody may talk to the agents: add yourself, as in authorization: {global_users: [\"@you:example.org\"]}, "+
			"or let everyone in with authorization: {default_room_access: true}")
	}
	for _, name := range c.agentOrder {
		if policy, ok := a.PolicyFor(name); ok && len(policy.Users) == 0 && len(policy.JoinedRooms) == 0 {
			d.warn(pos, path+".agent_reply_permissions", "the policy for %s matches nobody, so it answers nobody: "+
				"add a Matrix id or a pattern to its users", name)
		}
	}
}
