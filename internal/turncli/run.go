package turncli

import (
	"context"

	"mindroom/internal/lifecycle"
	"mindroom/internal/tool"
)

// terms is the turn CLI's door.
func (o *Owner) terms(c *call) tool.Terms {
	return tool.Terms{
		Surface:   func(n tool.Name) bool { return o.offered(n) == nil },
		Live:      func(context.Context) *tool.Fault { return o.live(c) },
		Lane:      &o.lane,
		Ledger:    &ledger{o: o, c: c, holds: o.work.Holds},
		Enclosure: o, EndAtTimeout: o.work.EndAtTimeout,
		Bound: bounded(o.reg.Wall),
		Observe: func(_ tool.Ref, e tool.Event) {
			if e == tool.EventBegan {
				o.observe(Seen{Call: c.Call, Event: e})
			}
		},
	}
}

// live says why a call can not begin any more; nil while it can.
func (o *Owner) live(c *call) *tool.Fault {
	o.mu.Lock()
	defer o.mu.Unlock()
	stop, told := context.Cause(c.ctx).(stopped)
	switch {
	case told:
		return tool.Faultf(tool.FaultCancelled, "the call was cancelled before it began, because %s; it never ran", stop.why)
	case o.phase == dead && !c.resumed:
		return tool.Faultf(tool.FaultCancelled, "the response ended before the call began; it never ran")
	case o.fence != "" && !c.resumed:
		return tool.Faultf(tool.FaultCancelled, "the call was %s; it never ran", o.fenced())
	case o.work.Calls > 0 && o.begun >= o.work.Calls && !c.began:
		return o.limit()
	}
	return nil
}

// limit is the end of a call beyond the number a response may make (M26).
func (o *Owner) limit() *tool.Fault {
	return tool.Faultf(tool.FaultQuota, "Tool call limit reached: this response has made its %d calls through mindroom-agent; go on with what you have", o.work.Calls)
}

// run takes an admitted call to its end, or leaves it waiting for a person.
func (o *Owner) run(ctx context.Context, c *call) {
	var out tool.Outcome
	var parked bool
	if err := lifecycle.Call(func() error { out, parked = o.carry(ctx, c, nil); return nil }); err != nil {
		o.broke(c, err)
		return
	}
	if !parked {
		o.settle(c, out)
	}
}

// carry performs a call. d is a person's word where it was given already. parked
// reports that the call still waits for one and was let go.
func (o *Owner) carry(ctx context.Context, c *call, d *tool.Decision) (out tool.Outcome, parked bool) {
	room, terms := o.reg.Room, o.terms(c)
	plan, fault := tool.Plan{Call: c.Call}, o.unfit(c)
	if fault == nil {
		plan, fault = room.Plan(ctx, c.Call, terms)
	}
	if fault == nil && plan.Verdict.Kind == tool.Ask && d == nil && o.mayAsk() {
		d, fault, parked = o.ask(ctx, c, plan, terms)
		if parked {
			return out, true
		}
	}
	if fault != nil {
		return room.Refuse(ctx, plan, fault, terms), false
	}
	began := room.Now()
	out = room.Perform(ctx, plan, d, terms)
	if out.State == tool.StatePaused && !c.resumed {
		// A body that waits for something of its own has nobody here to go on with it.
		out.Then, out.Value = tool.StateFailed, nil
		out.Fault = tool.Faultf(tool.FaultTool, "%s waits for a decision, which it cannot do inside a shell command; call it directly", c.Name)
		out = room.Conclude(ctx, plan, d, out, began, terms)
	}
	return out, false
}

// unfit is why a call is refused before it is planned, in words that help; nil
// where the room decides.
func (o *Owner) unfit(c *call) *tool.Fault {
	if fault := o.live(c); fault != nil {
		return fault
	}
	return o.offered(c.Name)
}

// broke ends a call whose handling failed inside this program. Its command's call
// fails with it, and with it alone.
func (o *Owner) broke(c *call, err error) {
	o.reg.Log.Error("a call inside a shell command failed in the runtime", "call", c.Ref.String(), "tool", c.Name.String(), "error", err)
	o.mu.Lock()
	if c.window != nil {
		c.window.faults = append(c.window.faults, err)
	}
	o.mu.Unlock()
	o.settle(c, tool.Indeterminate("The runtime failed inside."))
}
