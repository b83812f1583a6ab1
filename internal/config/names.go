package config

import (
	"regexp"
	"slices"
)

// RouterName is the entity that every installation has: it owns rooms and picks who answers.
const RouterName = "router"

var (
	entityName  = regexp.MustCompile(`^[a-zA-Z0-9_]+$`)
	roomKeyName = regexp.MustCompile(`^[a-zA-Z0-9_.-]+$`)
	userIDForm  = regexp.MustCompile(`^@[^:\s*?\[\]]+:[^\s*?]+$`)
	roomRefForm = regexp.MustCompile(`^[#!][^\s:]+:\S+$`)
	// Since room version 12 a room id has no server part.
	roomIDForm    = regexp.MustCompile(`^![A-Za-z0-9_-]{43}$`)
	localpartForm = regexp.MustCompile(`^[a-z0-9._=/+-]{1,200}$`)
)

// reservedNames belong to the router and to people.
var reservedNames = []string{RouterName, "user"}

// entity checks the name of an agent or a team.
func (d *decoder) entity(e entry) {
	switch {
	case slices.Contains(reservedNames, e.key):
		d.failAt(e.keyPos, e.value.path, "the name %s is reserved; choose another", e.key)
	case !entityName.MatchString(e.key):
		d.failAt(e.keyPos, e.value.path, "a name may hold letters, digits and underscores only")
	}
}

func (d *decoder) userID(n *node) {
	if userIDForm.MatchString(n.text) {
		return
	}
	d.fail(n, "%q is not a Matrix user id such as @alice:example.org", clip(n.text))
}

// isRoomRef tells #alias:server and !id:server from a managed room key.
func isRoomRef(s string) bool { return s != "" && (s[0] == '#' || s[0] == '!') }

// roomForm checks the writing of a room: a managed key, an alias or an id.
func (d *decoder) roomForm(pos Pos, path, room string) bool {
	switch {
	case isRoomRef(room) && (roomRefForm.MatchString(room) || roomIDForm.MatchString(room)):
		return true
	case isRoomRef(room):
		d.failAt(pos, path, "%q is not a room alias such as #ops:example.org or a room id such as !abc:example.org", clip(room))
	case roomKeyName.MatchString(room):
		return true
	default:
		d.failAt(pos, path, "a room key may hold letters, digits, underscores, dots and dashes only")
	}
	return false
}
