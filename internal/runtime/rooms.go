package runtime

import (
	"slices"
	"strings"

	"mindroom/internal/config"
	"mindroom/internal/matrix"
)

// roomPlans says which rooms the configuration wants and who belongs in them:
// the agents that name the room, and every person the authorisation names for it.
func roomPlans(c *config.Config) []matrix.RoomPlan {
	plans := map[string]*matrix.RoomPlan{}
	var order []string
	plan := func(key string) *matrix.RoomPlan {
		if p, ok := plans[key]; ok {
			return p
		}
		p := &matrix.RoomPlan{Key: key, Admins: c.RoomAccess.RoomAdmins, JoinRule: joinRule(c.RoomAccess, key), Encryption: encryption(c, key)}
		if r, ok := c.Rooms[key]; ok {
			p.Name, p.Topic = r.DisplayName, r.Description
		}
		plans[key] = p
		order = append(order, key)
		return p
	}
	for _, key := range c.ManagedRooms() {
		p := plan(key)
		p.Invite = people(c, key)
	}
	for _, name := range c.AgentNames() {
		for _, key := range c.Agents[name].Rooms {
			p := plan(key)
			p.Members = append(p.Members, name)
		}
	}
	out := make([]matrix.RoomPlan, 0, len(order))
	for _, key := range order {
		out = append(out, *plans[key])
	}
	return out
}

// people are the concrete users that may talk in a managed room.
func people(c *config.Config, key string) []string {
	var out []string
	add := func(users ...string) {
		for _, u := range users {
			if strings.HasPrefix(u, "@") && !strings.ContainsAny(u, "*?[") && !slices.Contains(out, u) {
				out = append(out, u)
			}
		}
	}
	add(c.Authorization.GlobalUsers...)
	add(c.Authorization.RoomPermissions[key]...)
	add(c.RoomAccess.RoomAdmins...)
	if c.Authorization.DefaultRoomAccess {
		for _, policy := range c.Authorization.ReplyPermissions {
			add(policy.Users...)
		}
	}
	return out
}

// joinRule is how people get into a managed room when it is made.
func joinRule(access config.RoomAccess, key string) string {
	if access.MultiUser && !slices.Contains(access.InviteOnlyRooms, key) {
		return access.JoinRule
	}
	return "invite"
}

// encryption is what a managed room's own word says, else that of all managed
// rooms. What is said of one room holds for it whether it is there or not; what
// is said of all changes those that are there only where reconciling is allowed
// (spec/runtime.md 1.9).
func encryption(c *config.Config, key string) matrix.Encryption {
	own := c.Rooms[key].Encrypted
	switch {
	case own != nil && *own:
		return matrix.EncryptionAlways
	case own != nil || !c.RoomAccess.EncryptManagedRooms:
		return matrix.EncryptionAsIs
	case c.RoomAccess.ReconcileExistingRooms:
		return matrix.EncryptionAlways
	}
	return matrix.EncryptionNew
}
