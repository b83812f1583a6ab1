package command

import (
	"context"
	"slices"

	"mindroom/internal/authz"
	"mindroom/internal/config"
	"mindroom/internal/identity"
	"mindroom/internal/tool"
)

// Residents finds the agents of a room and how they answer there.
type Residents struct {
	Authority authz.Authority
	// UserID is the Matrix id of an entity; false when it has no account.
	UserID func(entity string) (string, bool)
	// Modes are the rooms' own choices; nil is none.
	Modes *Modes
}

// In lists the agents that are in a room for sure, in the order of the
// configuration.
func (r Residents) In(ctx context.Context, room string, snap *config.Snapshot) []*config.Agent {
	var all []*config.Agent
	for _, name := range snap.Config.AgentNames() {
		user, ok := r.UserID(name)
		if ok && r.Authority.Membership.Joined(ctx, room, user) == tool.Yes {
			all = append(all, snap.Config.Agents[name])
		}
	}
	return all
}

// For lists those of them that a person may talk to.
func (r Residents) For(ctx context.Context, room, person string, snap *config.Snapshot) []*config.Agent {
	return slices.DeleteFunc(r.In(ctx, room, snap), func(a *config.Agent) bool {
		return r.Authority.May(ctx, identity.InThread(a.Name, person, room, ""), snap) != tool.Yes
	})
}

// Mode is where an agent answers what is said in a room outside of threads: the
// room's own choice, then the agent's for the room, then the agent's
// (spec/runtime.md 3.8).
func (r Residents) Mode(a *config.Agent, room string) config.ThreadMode {
	if r.Modes != nil {
		if mode, chosen := r.Modes.Of(room); chosen {
			return mode
		}
	}
	return a.ThreadModeIn(r.Authority.Membership.RoomNames(room)...)
}

// plain reports whether every agent of a room answers without threads.
func (r Residents) plain(ctx context.Context, room string, snap *config.Snapshot) bool {
	agents := r.In(ctx, room, snap)
	return len(agents) > 0 && !slices.ContainsFunc(agents, func(a *config.Agent) bool { return r.Mode(a, room) != config.ModeRoom })
}
