package turn

import (
	"context"
	"fmt"
	"strings"

	"mindroom/internal/config"
	"mindroom/internal/tool"
)

// maxDelegation is how many subagents may stand above one another
// (spec/runtime.md 6.6).
const maxDelegation = 3

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

// granted applies the tools that an authored subagent was given. They say nothing of
// its skills, which it keeps with the function that reads them (M14).
func (c *child) granted(name tool.Name) bool {
	if c.sub.tools == nil || name == readSkill {
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

// allowed are the agents that a caller may hand work to, in words.
func allowed(a *config.Agent) string {
	if len(a.DelegateTo) == 0 {
		return "none"
	}
	return strings.Join(a.DelegateTo, ", ")
}
