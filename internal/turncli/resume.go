package turncli

import (
	"context"
	"time"

	"mindroom/internal/lifecycle"
	"mindroom/internal/tool"
)

// Resume makes a call that waited for a person when its command's call was paused,
// in this process or in an earlier one, with the person's word d. It is made
// exactly once: a call that has its end already is told as it ended, and one that
// Holds.Begin does not let begin never runs. Its receipt, kept or new, ends with
// it. A fence and a closed window do not concern it, nor does the end of the grant.
// An outcome that is paused is one of a shell whose own calls wait now; Conclude
// ends it.
func (o *Owner) Resume(ctx context.Context, made tool.Call, d tool.Decision) tool.Outcome {
	o.mu.Lock()
	c := o.calls[made.ID]
	switch {
	case c == nil:
		c = newCall(context.WithoutCancel(ctx), made)
		c.held, c.bash = true, bashOf(made)
		o.calls[made.ID] = c
		o.unfinished++
	case c.ended():
		o.mu.Unlock()
		return c.final
	case !c.parks():
		o.mu.Unlock()
		return tool.Indeterminate("It is being made already.")
	default:
		c.ctx, c.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	}
	c.resumed, c.window, c.status = true, nil, queued
	o.busy++
	work, cancel := c.ctx, c.cancel
	o.mu.Unlock()
	defer o.idle()
	defer context.AfterFunc(ctx, func() { cancel(stopped{why: "the response that waited for it was ended"}) })()
	var out tool.Outcome
	if err := lifecycle.Call(func() error { out, _ = o.carry(work, c, &d); return nil }); err != nil {
		o.broke(c, err)
		return c.final
	}
	if out.State != tool.StatePaused {
		o.settle(c, out)
	}
	return out
}

// Conclude ends a call that Resume left paused, once what it waited for is over
// (tool.Room.Conclude). began is when Resume was called.
func (o *Owner) Conclude(ctx context.Context, made tool.Call, d tool.Decision, out tool.Outcome, began time.Time) tool.Outcome {
	o.mu.Lock()
	c := o.calls[made.ID]
	if c == nil {
		c = newCall(context.WithoutCancel(ctx), made)
		c.held, c.began, c.bash = true, true, bashOf(made)
		o.calls[made.ID] = c
		o.unfinished++
	}
	if c.ended() {
		o.mu.Unlock()
		return c.final
	}
	c.resumed = true
	o.mu.Unlock()
	terms := o.terms(c)
	plan, _ := o.reg.Room.Plan(ctx, made, terms) // for its verdict; the call was made whatever is said now
	end := o.reg.Room.Conclude(ctx, plan, &d, out, began, terms)
	o.settle(c, end)
	return end
}

// bashOf is the id of the command that made a call, as windowID gave it.
func bashOf(made tool.Call) string {
	if made.Parent == nil {
		return ""
	}
	id, _ := providerID(*made.Parent)
	return id
}

// withdraw ends a call that waits without a goroutine. It is called with mu held,
// so that the goroutine it starts is counted before it can end.
func (o *Owner) withdraw(c *call, why stopped) {
	c.withdrawn = true
	ctx := context.WithoutCancel(c.ctx)
	end := func() {
		fault := tool.Faultf(tool.FaultCancelled, "the call was cancelled while it waited for a person, because %s; it never ran", why.why)
		out := o.reg.Room.Refuse(ctx, tool.Plan{Call: c.Call}, fault, o.terms(c))
		o.settle(c, out)
		o.idle()
	}
	if !o.reg.Run.Go("cli call "+c.Ref.String(), func(context.Context) error { end(); return nil }) {
		return // its rows tell the next start, and its command waits for nobody
	}
	o.busy++
	if w := c.window; w != nil {
		w.active++
	}
}
