package turn

import (
	"context"
	"fmt"
	"strings"

	"mindroom/internal/config"
	"mindroom/internal/identity"
	"mindroom/internal/mode"
	"mindroom/internal/tool"
)

// maxDelegation is how many subagents may stand above one another
// (spec/runtime.md 6.6).
const maxDelegation = 3

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

// child is what a response is besides when it works for another one.
type child struct {
	sub subagent
	// above is the response whose call waits; nil in the background.
	above *response
	// call is the call that waits.
	call tool.Ref
	// gone reports that whoever waits has gone, for another reason than the end of
	// the process.
	gone func() bool
	// asks: a person can be asked about calls.
	asks bool
}

// narrow is what a subagent has of its agent's surface. What an authored one was given
// by name needs no loading.
func (c *child) narrow(e *Engine, snap *config.Snapshot, s *tool.Surface) *tool.Surface {
	s = s.Without(func(f *tool.Function) bool { return c.withheld(e, snap, f) })
	if c.sub.tools != nil {
		s = s.Whole()
	}
	return s
}

// withheld reports whether the subagent is denied a function that its agent has:
// one that was not among its tools, or one that nobody could be asked about (M12).
func (c *child) withheld(e *Engine, snap *config.Snapshot, f *tool.Function) bool {
	return !c.granted(f.Name) || !c.asks && e.Room.Policy.Might(snap, f)
}

// granted applies the tools that an authored subagent was given.
func (c *child) granted(name tool.Name) bool {
	if c.sub.tools == nil {
		return true
	}
	for _, given := range c.sub.tools {
		if given == name.Toolkit || given == name.String() {
			return true
		}
	}
	return false
}

// bind makes a response's door that of a subagent: it offers less, asks while its
// caller waits, and what it calls is shown in the answer above.
func (c *child) bind(ctx context.Context, r *response, terms *tool.Terms) {
	terms.Surface = func(name tool.Name) bool { return r.surface.Lookup(name) != nil }
	if c.asks && r.e.Cards != nil {
		terms.Ask = func(call context.Context, plan tool.Plan) (tool.Decision, *tool.Fault) {
			// What began may finish when the process stops; what waits for a person has
			// nothing to finish.
			call, cancel := context.WithCancel(call)
			defer cancel()
			defer context.AfterFunc(ctx, cancel)()
			return r.e.Cards.Ask(call, plan)
		}
	}
	if c.above != nil {
		terms.Observe = r.mirror
	}
}

// mirror shows a call in the answer that a person reads, one line under the call
// that the answer itself waits for.
func (r *response) mirror(ref tool.Ref, event tool.Event) {
	c := r.child
	for c.above.child != nil && c.above.child.above != nil {
		c = c.above.child
	}
	top, under := c.above.seen, c.call.ID
	if c.call.Door != tool.DoorTurn {
		under = c.call.String()
	}
	key := r.id + "/" + ref.ID
	for _, call := range r.cp.Calls {
		switch {
		case call.Ref != ref.ID:
		case event == tool.EventQueued:
			name := fmt.Sprintf("%s: %s", r.row.agent, call.Call.Name)
			top.change(true, func(v *view) { v.enclosed(under, key, name, []byte(call.Call.Arguments), r.e.Mask) })
		case event == tool.EventEnded:
			top.change(true, func(v *view) { v.completed(key, "", r.e.Mask) })
		}
	}
}

// work carries a subagent's turn to its end. An error means that it was left where
// it stands, for the next start to end it: the process is stopping.
func (c *child) work(ctx context.Context, r *response) error {
	if r.cancelled() {
		return r.finish(ctx, cancelledEnding)
	}
	if end, ok := r.prepare(); !ok {
		return r.finish(ctx, end)
	}
	if end, ok := r.permitted(); !ok {
		return r.finish(ctx, end)
	}
	quiet := func(*view) string { return "" }
	r.seen = newProgress(r.cp.View, "", r.snap.Config.Defaults.Streaming, r.e.Wall.Now(), quiet, func(view) {})
	end, err := r.converse(ctx)
	if err != nil {
		return err
	}
	return r.finish(ctx, end)
}

// carry works on a subagent's turn in the goroutine of whoever waits for it, and
// reports whether the turn has ended.
func (e *Engine) carry(ctx context.Context, id string, c *child) bool {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	e.mu.Lock()
	jobs := e.jobs
	e.mu.Unlock()
	if jobs == nil {
		return false
	}
	// As every response it is told at once that the process stops, and not when the
	// time of the call that waits for it is over.
	defer context.AfterFunc(jobs.Context(), func() { stop(errStopping) })()
	r := newResponse(e, id, lane{c.sub.agent, c.sub.id})
	r.child = c
	c.gone = func() bool { return ctx.Err() != nil && !e.leaving(ctx) }
	e.mu.Lock()
	e.running[id] = r
	e.mu.Unlock()
	defer func() {
		e.mu.Lock()
		delete(e.running, id)
		e.mu.Unlock()
		e.announce()
	}()
	return r.guarded(ctx)
}

// leaving reports whether ctx ended because the process stops, and not because a
// caller was cancelled.
func (e *Engine) leaving(ctx context.Context) bool {
	if context.Cause(ctx) == errCancelled {
		return false
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.jobs.Context().Err() != nil
}

// job runs a subagent's turn in the background; false when the engine stops.
func (e *Engine) job(id string, c *child) bool {
	e.mu.Lock()
	jobs := e.jobs
	e.mu.Unlock()
	return jobs != nil && jobs.Go("subagent "+c.sub.id, func(ctx context.Context) error {
		defer e.Wake()
		e.carry(ctx, id, c)
		return nil
	})
}

// allowed are the agents that a caller may hand work to, in words.
func allowed(a *config.Agent) string {
	if len(a.DelegateTo) == 0 {
		return "none"
	}
	return strings.Join(a.DelegateTo, ", ")
}
