package turncli

import (
	"context"

	"mindroom/internal/canonical"
	"mindroom/internal/tool"
)

// Bounds of one response (M27).
const (
	maxReceipts   = 1024
	maxOperations = 64
)

// submission is one call as a request has it.
type submission struct {
	id   string
	name tool.Name
	args canonical.Doc
}

// submit accepts a call under a window, or joins the one that has its id (C08).
// The call goes on whatever becomes of the request (C09).
func (o *Owner) submit(window string, s submission) (*call, *refusal) {
	o.mu.Lock()
	if o.phase == dead || o.expired() {
		o.mu.Unlock()
		return nil, errAuthority
	}
	if known := o.calls[s.id]; known != nil {
		o.mu.Unlock()
		if known.Name != s.name || known.Args.Digest() != s.args.Digest() {
			return nil, errConflict
		}
		return known, nil
	}
	w, refused := o.admits(window)
	if refused == nil && len(o.calls) >= maxReceipts {
		refused = errReceipts
	}
	if refused != nil {
		o.mu.Unlock()
		return nil, refused
	}
	c := newCall(w.base, tool.Call{
		Ref: tool.Ref{Door: tool.DoorCLI, Owner: o.turn, ID: s.id}, Parent: &w.parent,
		Name: s.name, Args: s.args, Who: o.who, Depth: o.depth,
	})
	c.window, c.bash = w, w.id
	ctx := c.ctx
	o.calls[s.id] = c
	w.active++
	o.unfinished++
	o.busy++
	o.mu.Unlock()
	o.observe(Seen{Call: c.Call, Event: tool.EventQueued})
	o.start(c, func() { o.run(ctx, c) })
	return c, nil
}

// admits is the window that an operation names, if one more may enter it. It is
// called with mu held.
func (o *Owner) admits(id string) (*window, *refusal) {
	w := o.windows[id]
	switch {
	case id == "":
		return nil, errNoWindow
	case o.fence != "":
		return nil, refuse(409, CodeFenced, "the call was %s", o.fenced())
	case w == nil:
		return nil, errWindowClosed
	case o.unfinished >= maxOperations:
		return nil, errOperations
	}
	return w, nil
}

// start has work done for a call, already counted as busy, in a goroutine of its
// own. Where the process is going down the call ends instead.
func (o *Owner) start(c *call, work func()) {
	if !o.reg.Run.Go("cli call "+c.Ref.String(), func(context.Context) error { defer o.idle(); work(); return nil }) {
		o.settle(c, tool.Failed(&tool.Fault{Kind: tool.FaultUnavailable, Retryable: true, Message: "the runtime is shutting down; the call was not run"}))
		o.idle()
	}
}

// idle says that one who was busy is not any more.
func (o *Owner) idle() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.busy--
	o.wake()
}

// find is a call of the owner by its id; nil when there is none or the grant has
// ended.
func (o *Owner) find(id string) *call {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.phase == dead || o.expired() {
		return nil
	}
	return o.calls[id]
}
