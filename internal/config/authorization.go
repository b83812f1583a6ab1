package config

import "strings"

// Authorization says who may talk to whom. It is data: package authz decides with it.
type Authorization struct {
	GlobalUsers       []string            // may talk in every room
	RoomPermissions   map[string][]string // room id, alias or managed key → who may talk there; a match ends the search
	DefaultRoomAccess bool                // for a room without an entry
	ConfigCommand     bool                // config_command_enabled
	Aliases           map[string]string   // bridge ghost → the person it speaks for
	ReplyPermissions  map[string]ReplyPolicy
}

// EveryEntity is the key of ReplyPermissions for entities without a policy of their own.
const EveryEntity = "*"

// ReplyPolicy says whose messages an entity may answer: anyone a pattern matches, and anyone now in one of the rooms.
// The zero policy lets nobody through.
type ReplyPolicy struct {
	Users       []string // shell patterns (* ? [...]) over the whole Matrix id, case-sensitive
	JoinedRooms []string // managed room keys
}

// Canonical is the person behind a Matrix id: the one a bridge ghost speaks for, else the id itself.
func (a Authorization) Canonical(user string) string {
	if person, ok := a.Aliases[user]; ok {
		return person
	}
	return user
}

// PolicyFor is the policy for an entity. ok is false when there is none, which lets everyone through.
func (a Authorization) PolicyFor(entity string) (policy ReplyPolicy, ok bool) {
	if policy, ok = a.ReplyPermissions[entity]; ok {
		return policy, true
	}
	policy, ok = a.ReplyPermissions[EveryEntity]
	return policy, ok
}

func (d *decoder) authorization(n *node) Authorization {
	s := d.section(n, "authorization")
	a := Authorization{
		GlobalUsers:       s.names("global_users", d.userID),
		RoomPermissions:   map[string][]string{},
		DefaultRoomAccess: s.boolean("default_room_access", false),
		ConfigCommand:     s.boolean("config_command_enabled", false),
		Aliases:           d.aliases(s.get("aliases")),
		ReplyPermissions:  map[string]ReplyPolicy{},
	}
	for _, e := range d.entries(s.get("room_permissions")) {
		d.referRoom(e)
		a.RoomPermissions[e.key] = d.names(e.value, d.userID)
	}
	for _, e := range d.entries(s.get("agent_reply_permissions")) {
		if e.key != EveryEntity {
			d.refer(refEntity, e.keyPos, e.value.path, e.key)
		}
		a.ReplyPermissions[e.key] = d.replyPolicy(e.value)
	}
	s.done()
	return a
}

// aliases turns the file's person → ghosts around, since a look-up starts at the ghost.
func (d *decoder) aliases(n *node) map[string]string {
	people := map[string]string{}
	entries := d.entries(n)
	for _, e := range entries {
		d.userID(&node{pos: e.keyPos, path: e.value.path, text: e.key})
		d.names(e.value, func(ghost *node) {
			d.userID(ghost)
			if other, taken := people[ghost.text]; taken {
				d.fail(ghost, "%s already speaks for %s; one person a ghost", clip(ghost.text), clip(other))
				return
			}
			people[ghost.text] = e.key
		})
	}
	for _, e := range entries {
		if person, both := people[e.key]; both {
			d.failAt(e.keyPos, e.value.path, "%s is also an alias of %s; an alias cannot have aliases", clip(e.key), clip(person))
		}
	}
	return people
}

// replyPolicy reads the short form, a list of patterns, or the long one.
func (d *decoder) replyPolicy(n *node) ReplyPolicy {
	switch n.kind {
	case kindList:
		return ReplyPolicy{Users: d.names(n, d.userPattern)}
	case kindMap, kindNull:
		s := d.section(n, "authorization.agent_reply_permissions.*")
		p := ReplyPolicy{Users: s.names("users", d.userPattern), JoinedRooms: s.names("joined_rooms", d.managedRoom)}
		s.done()
		return p
	}
	d.fail(n, "must be a list of Matrix ids or patterns, or a mapping with users and joined_rooms")
	return ReplyPolicy{}
}

// userPattern refuses what can never match, because a Matrix id begins with @.
func (d *decoder) userPattern(n *node) {
	if !strings.ContainsAny(n.text[:1], "@*?[") {
		d.fail(n, "%q matches no Matrix id; write one such as @alice:example.org, or a pattern such as @*:example.org", clip(n.text))
	}
}
