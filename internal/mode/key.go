package mode

import (
	"mindroom/internal/config"
	"mindroom/internal/identity"
)

// Key names what one choice is for.
type Key struct {
	// Agent is the configured name.
	Agent string
	// Session is the conversation: identity.SessionID of the room, or of the room
	// and the thread's root.
	Session string
	// Owner is the canonical Matrix id of the requester of a private agent, empty for
	// an agent that is one for everybody (M05).
	Owner string
}

// KeyFor is the key under which a response of agent a to who looks its mode up, and
// a command stores it. threads is where a answers in who.Room at the moment,
// command.Residents.Mode: with config.ModeRoom the whole room is one conversation,
// and what is said in a thread of it belongs to the room's choice too (M04).
func KeyFor(a *config.Agent, who identity.Execution, threads config.ThreadMode) Key {
	k := Key{Agent: a.Name, Session: who.Session}
	if threads == config.ModeRoom {
		k.Session = identity.SessionID(who.Room, "")
	}
	if a.Private != nil {
		k.Owner = who.Requester
	}
	return k
}
