package turncli

import (
	"context"
	"encoding/json"

	"mindroom/internal/tool"
)

// status is how a call stands, as its receipt says it (C10).
type status string

const (
	queued    status = "queued"
	running   status = "running"
	waiting   status = "waiting"
	completed status = "completed"
	failed    status = "failed"
	cancelled status = "cancelled"
)

// call is one call and its receipt. Its fields from ctx on, window and resumed belong
// to the owner's lock; the others do not change.
type call struct {
	tool.Call
	// window is where it was admitted; nil for one that was resumed.
	window *window
	// resumed calls were admitted earlier: no fence and no window concerns them.
	resumed bool
	// bash is the id of the command that made it; empty when it is not known.
	bash string
	// done is closed when the call has its end.
	done chan struct{}

	// ctx is that of whoever makes the call at the moment.
	ctx    context.Context
	cancel context.CancelCauseFunc
	status status
	// held: what the call needs to be made in a later process is stored.
	held bool
	// asking: a goroutine waits for a person. parked is closed when it is let go.
	asking bool
	parked chan struct{}
	// withdrawn: it was let go, and is being ended without anybody's word.
	withdrawn bool
	began     bool

	outcome     json.RawMessage
	attachments []attachment
	final       tool.Outcome
}

// stopped is why a call is told to end.
type stopped struct {
	// keep leaves what waits for a person to a later owner.
	keep bool
	why  string
}

func (s stopped) Error() string { return s.why }

func newCall(ctx context.Context, c tool.Call) *call {
	made := &call{Call: c, status: queued, done: make(chan struct{}), parked: make(chan struct{})}
	made.ctx, made.cancel = context.WithCancelCause(ctx)
	return made
}

func (c *call) ended() bool {
	return c.status == completed || c.status == failed || c.status == cancelled
}

// stop ends a call that has no end yet, or lets go of it. It is called with the
// owner's lock.
func (c *call) stop(why stopped) {
	switch {
	case c.ended():
	case c.asking && why.keep:
		c.letGo()
	default:
		c.cancel(why)
	}
}

// parks reports whether the call waits for a person without a goroutine.
func (c *call) parks() bool { return c.status == waiting && c.held && !c.asking && !c.withdrawn }

// letGo ends the waiting of a call's goroutine; its receipt goes on waiting and is
// resumed by Owner.Resume. It is called with the owner's lock.
func (c *call) letGo() {
	c.asking = false
	close(c.parked)
	if w := c.window; w != nil {
		w.active--
		w.asking--
		w.paused = true
	}
}
