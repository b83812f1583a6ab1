package turn

import (
	"mindroom/internal/identity"
	"mindroom/internal/mode"
	"mindroom/internal/tool"
)

// caller is the response that asks for a subagent, and under which call.
type caller struct {
	*response
	agent string
	call  tool.Call
	who   identity.Execution
}

// calling finds the response inside which a call is made. Only a response that is
// at work in this process can have subagents; any other is refused.
func (e *Engine) calling(in tool.Invocation) (caller, error) {
	e.mu.Lock()
	r := e.running[in.Owner]
	e.mu.Unlock()
	if r == nil || in.Door == tool.DoorScript {
		return caller{}, refusedf("Subagents can only be used inside a response, and this call belongs to none that is at work. Nothing was started.")
	}
	return caller{response: r, agent: in.Who.Agent, call: in.Call, who: in.Who}, nil
}

// subagent is which subagent the caller is; empty for none.
func (c caller) subagent() string { return c.row.subagent }

// conversation is where the answer goes that stands above all of it.
func (c caller) conversation() string { return identity.SessionID(c.row.room, c.row.threadRoot) }

// depth is that of a subagent of the caller; 1 below an answer to a person.
func (c caller) depth() int {
	if c.child != nil {
		return c.child.sub.depth + 1
	}
	return 1
}

// asks reports whether a person can be asked about the calls of a subagent: not
// where the caller itself may ask nobody.
func (c caller) asks(m mode.Mode) bool {
	return m != mode.Minimal && (c.child == nil || c.child.asks)
}

// identity is whom a subagent acts as: another agent for the same person in the
// same place (spec/runtime.md 7.7).
func (c caller) identity(agent string) identity.Execution {
	who := c.who
	who.Agent = agent
	return who
}
