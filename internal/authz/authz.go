package authz

import (
	"context"
	"slices"

	"mindroom/internal/config"
	"mindroom/internal/identity"
	"mindroom/internal/tool"
)

// Membership is a live view of who is in which room. It is shared by all
// accounts.
type Membership interface {
	// Joined says whether user is joined to the room now.
	Joined(ctx context.Context, room, user string) tool.Answer
	// RoomNames are all names of a room: its id, its alias, its managed key.
	RoomNames(room string) []string
	// RoomID finds a managed room by its key; false while it is not known.
	RoomID(key string) (string, bool)
	// Own reports whether user is an account of this runtime.
	Own(user string) bool
}

// Authority decides with a Membership. It has no state of its own.
type Authority struct {
	Membership Membership
	// Powers tells the admins of rooms; nil knows none but the global users.
	Powers Powers
}

var _ tool.Authority = Authority{}

// May says whether who.Requester may use who.Agent in who.Room under snap.
func (a Authority) May(ctx context.Context, who identity.Execution, snap *config.Snapshot) tool.Answer {
	if _, ok := snap.Config.Agents[who.Agent]; !ok {
		return tool.No
	}
	return a.Reach(ctx, who.Agent, who.Requester, who.Room, snap)
}

// Reach is May for any entity with a Matrix account, the router included.
func (a Authority) Reach(ctx context.Context, entity, user, room string, snap *config.Snapshot) tool.Answer {
	if a.Membership.Own(user) {
		return a.Membership.Joined(ctx, room, user)
	}
	auth := snap.Config.Authorization
	person := auth.Canonical(user)
	if !a.enters(auth, person, room) {
		return tool.No
	}
	reply := a.replies(ctx, auth, entity, person)
	if reply == tool.No {
		return tool.No
	}
	joined := a.joined(ctx, auth, room, person)
	if joined == tool.No || reply == tool.Yes {
		return joined
	}
	return tool.CannotTell
}

// joined says whether a person is in a room under their own id or under that of
// a bridge ghost which speaks for them.
func (a Authority) joined(ctx context.Context, auth config.Authorization, room, person string) tool.Answer {
	answer := a.Membership.Joined(ctx, room, person)
	for ghost, speaksFor := range auth.Aliases {
		if answer == tool.Yes {
			break
		}
		if speaksFor != person {
			continue
		}
		if as := a.Membership.Joined(ctx, room, ghost); as != tool.No {
			answer = as
		}
	}
	return answer
}

// Enters reports whether a person may act in a room at all, by configuration.
func (a Authority) Enters(user, room string, snap *config.Snapshot) bool {
	auth := snap.Config.Authorization
	return a.Membership.Own(user) || a.enters(auth, auth.Canonical(user), room)
}

func (a Authority) enters(auth config.Authorization, person, room string) bool {
	if slices.Contains(auth.GlobalUsers, person) {
		return true
	}
	for _, name := range a.Membership.RoomNames(room) {
		if users, ok := auth.RoomPermissions[name]; ok {
			return slices.Contains(users, person)
		}
	}
	return auth.DefaultRoomAccess
}

func (a Authority) replies(ctx context.Context, auth config.Authorization, entity, person string) tool.Answer {
	policy, ok := auth.PolicyFor(entity)
	if !ok {
		return tool.Yes
	}
	for _, pattern := range policy.Users {
		if tool.Match(pattern, person) {
			return tool.Yes
		}
	}
	answer := tool.No
	for _, key := range policy.JoinedRooms {
		room, known := a.Membership.RoomID(key)
		if !known {
			answer = tool.CannotTell
			continue
		}
		switch a.joined(ctx, auth, room, person) {
		case tool.Yes:
			return tool.Yes
		case tool.CannotTell:
			answer = tool.CannotTell
		}
	}
	return answer
}
