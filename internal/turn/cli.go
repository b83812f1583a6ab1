package turn

import (
	"context"
	"errors"
	"sync"
	"time"

	"mindroom/internal/clock"
	"mindroom/internal/mode"
	"mindroom/internal/tool"
	"mindroom/internal/turncli"
)

// CLI opens the door of mindroom-agent for one response; turncli.Registry's Open.
type CLI func(turncli.Opening) (CLIOwner, error)

// CLIOwner is that door; *turncli.Owner.
type CLIOwner interface {
	tool.Enclosure
	// Resume makes a call that waited for a person when its turn was parked, once,
	// as was decided.
	Resume(ctx context.Context, call tool.Call, d tool.Decision) tool.Outcome
	// Conclude ends a call that Resume left paused, once what it waited for is over.
	// began is when it was resumed.
	Conclude(ctx context.Context, call tool.Call, d tool.Decision, out tool.Outcome, began time.Time) tool.Outcome
	// Live reports whether commands can still be given its grant.
	Live() bool
	// Release says that the response is over: the door closes when the last job that
	// holds a window has ended.
	Release(ctx context.Context)
	// Cancel closes it at once, ends what runs and waits for that.
	Cancel(ctx context.Context)
}

// owner is an open door. It outlives the work on its turn while the turn is
// parked, and is gone with the process.
type owner struct {
	CLIOwner

	mu   sync.Mutex
	seen *progress
}

// follow shows the calls that come from now on in an answer.
func (o *owner) follow(p *progress) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.seen = p
}

// show puts a call of mindroom-agent into the answer, under the command that made
// it (M20).
func (o *owner) show(s turncli.Seen, mask func(string) string) {
	o.mu.Lock()
	seen := o.seen
	o.mu.Unlock()
	if seen == nil {
		return
	}
	ref := s.Call.Ref.String()
	switch s.Event {
	case tool.EventQueued, tool.EventBegan, tool.EventWaiting:
		seen.change(true, func(v *view) { v.enclosed(parentOf(s.Call), ref, s.Call.Name.Function, s.Call.Args.Raw(), mask) })
	case tool.EventEnded:
		seen.change(true, func(v *view) {
			v.enclosed(parentOf(s.Call), ref, s.Call.Name.Function, s.Call.Args.Raw(), mask)
			v.completed(ref, resultOf(s.Outcome).Text, mask)
		})
	}
}

// parentOf is the piece of an answer under which a call is shown: the id of the
// turn's own call, or the whole reference of one made inside it.
func parentOf(c tool.Call) string {
	switch {
	case c.Parent == nil:
		return ""
	case c.Parent.Door == tool.DoorTurn:
		return c.Parent.ID
	}
	return c.Parent.String()
}

// openCLI opens the door of mindroom-agent where this response has one. In minimal
// mode a failure is the end of the turn, because nothing can be done without it,
// unless the process is stopping; in standard mode the response goes on without
// (spec/agentcli.md 5).
func (r *response) openCLI(ctx context.Context) (end ending, over bool, err error) {
	if !r.minimal() && !r.mayEnclose() {
		return ending{}, false, nil
	}
	o := r.e.ownerOf(r.id)
	r.fresh = o == nil
	if o != nil && !o.Live() { // it waited for longer than a grant lasts
		r.e.closeCLI(ctx, r.id, false)
		o = nil
	}
	if o == nil {
		o, err = r.newOwner()
		switch {
		case err == nil:
		case r.minimal() && errors.Is(err, turncli.ErrClosed):
			return ending{}, false, errStopping
		case r.minimal():
			r.e.Log.Error("a response in minimal mode has no mindroom-agent", "turn", r.id, "err", err)
			return r.unfit("- The door for `mindroom-agent` could not be opened; `mindroom doctor` and the log say more."), true, nil
		default:
			r.e.Log.Error("a response goes on without mindroom-agent", "turn", r.id, "err", err)
			return ending{}, false, nil
		}
	}
	o.follow(r.seen)
	r.owner = o
	return ending{}, false, nil
}

// mayEnclose reports whether a response in standard mode gets mindroom-agent: its
// shell meets the requirements, no command of it can wait for a person, and the
// response has not waited for one (M15, M18). A subagent does not answer the
// conversation itself.
func (r *response) mayEnclose() bool {
	shell := r.surface.Lookup(shellTool)
	return r.e.CLI != nil && r.child == nil && !r.cp.WithoutCLI && shell != nil &&
		len(mode.CLI(r.snap, r.surface, r.e.deployment())) == 0 && !r.e.Room.Policy.Might(r.snap, shell)
}

func (r *response) newOwner() (*owner, error) {
	o := &owner{}
	opening := turncli.Opening{
		Turn: r.id, Who: r.row.who, Depth: r.row.depth, Began: r.began(), Snapshot: r.snap, Surface: r.surface,
		Calls:   r.agent.MaxToolCallsPerTurn,
		Observe: func(s turncli.Seen) { o.show(s, r.e.Mask) },
	}
	if r.minimal() {
		opening.Documents, opening.EndAtTimeout = r.documents(), true
		if r.child == nil { // a subagent waits for nobody (M12)
			opening.Holds = holds{r.e, r.id}
		}
	} else {
		opening.Native = true
	}
	var err error
	if o.CLIOwner, err = r.e.CLI(opening); err != nil {
		return nil, err
	}
	r.e.mu.Lock()
	r.e.owners[r.id] = o
	r.e.mu.Unlock()
	return o, nil
}

// began is when the grant's time begins: with the response, or, where that was
// longer ago than a grant lasts, now, because it goes on under another one (M35).
func (r *response) began() time.Time {
	now := r.e.Wall.Now()
	if at, err := clock.ParseStamp(r.cp.Began); err == nil && now.Sub(at) < turncli.GrantTime {
		return at
	}
	return now
}

func (e *Engine) ownerOf(turn string) *owner {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.owners[turn]
}

// closeCLI lets go of a turn's door, if it has one in this process.
func (e *Engine) closeCLI(ctx context.Context, turn string, cancel bool) {
	e.mu.Lock()
	o := e.owners[turn]
	delete(e.owners, turn)
	e.mu.Unlock()
	switch {
	case o == nil:
	case cancel:
		o.Cancel(context.WithoutCancel(ctx))
	default:
		o.Release(context.WithoutCancel(ctx))
	}
}

// enclosure is the door of the response's calls; nil where it has none.
func (r *response) enclosure() tool.Enclosure {
	if r.owner == nil {
		return nil // and not an interface around nothing
	}
	return r.owner
}
