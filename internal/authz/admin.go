package authz

import (
	"context"
	"slices"

	"mindroom/internal/config"
	"mindroom/internal/tool"
)

// Powers is a live view of who may do what in rooms.
type Powers interface {
	// Governs says whether a Matrix id may change the power levels of a room now.
	Governs(ctx context.Context, room, user string) tool.Answer
}

// Global reports whether a person is named in authorization.global_users.
func (a Authority) Global(user string, snap *config.Snapshot) bool {
	auth := snap.Config.Authorization
	return slices.Contains(auth.GlobalUsers, auth.Canonical(user))
}

// RoomAdmin says whether a person is an admin of a room: a global user, or one
// whose Matrix id may change the room's power levels (spec/runtime.md 1.8).
// Without Powers only global users are.
func (a Authority) RoomAdmin(ctx context.Context, user, room string, snap *config.Snapshot) tool.Answer {
	switch {
	case a.Global(user, snap):
		return tool.Yes
	case a.Powers == nil:
		return tool.No
	}
	return a.Powers.Governs(ctx, room, user)
}
