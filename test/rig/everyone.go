package rig

import (
	"context"

	"mindroom/internal/authz"
	"mindroom/internal/tool"
)

// everyone is a membership in which everybody is joined to every room. Matrix
// answers the same question from memory, so the authority itself is real and
// only the homeserver's word is not.
type everyone struct{}

var _ authz.Membership = everyone{}

// account is the one account that shows cards.
type account struct{}

func (account) UserID(string) (string, bool) { return "@rig:example.org", true }
func (account) Own(user string) bool         { return user == "@rig:example.org" }

func (everyone) Joined(context.Context, string, string) tool.Answer { return tool.Yes }
func (everyone) RoomNames(room string) []string                     { return []string{room} }
func (everyone) RoomID(string) (string, bool)                       { return "", false }
func (everyone) Own(string) bool                                    { return false }
