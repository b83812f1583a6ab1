package config

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

func (d *decoder) authorization(s *section) Authorization {
	a := Authorization{
		GlobalUsers:       s.texts("global_users"),
		RoomPermissions:   map[string][]string{},
		DefaultRoomAccess: s.boolean("default_room_access"),
		ConfigCommand:     s.boolean("config_command_enabled"),
		Aliases:           d.aliases(entries(s.get("aliases"))),
		ReplyPermissions:  map[string]ReplyPolicy{},
	}
	for _, e := range entries(s.get("room_permissions")) {
		a.RoomPermissions[e.key] = texts(e.value)
	}
	for _, m := range s.members("agent_reply_permissions") {
		if m.value.kind == kindList {
			a.ReplyPermissions[m.entry.key] = ReplyPolicy{Users: texts(m.value)}
			continue
		}
		a.ReplyPermissions[m.entry.key] = ReplyPolicy{Users: m.texts("users"), JoinedRooms: m.texts("joined_rooms")}
	}
	return a
}

// aliases turns the file's person → ghosts around, since a look-up starts at the ghost.
func (d *decoder) aliases(people []entry) map[string]string {
	of := map[string]string{}
	for _, e := range people {
		for _, ghost := range e.value.items {
			if other, taken := of[ghost.text]; taken {
				d.fail(ghost, "%s already speaks for %s; one person a ghost", clip(ghost.text), clip(other))
				continue
			}
			of[ghost.text] = e.key
		}
	}
	for _, e := range people {
		if person, both := of[e.key]; both {
			d.failAt(e.keyPos, e.value.path, "%s is also an alias of %s; an alias cannot have aliases", clip(e.key), clip(person))
		}
	}
	return of
}
