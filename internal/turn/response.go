package turn

import (
	"context"
	"errors"
	"sync"
	"time"

	"mindroom/internal/config"
	"mindroom/internal/lifecycle"
	"mindroom/internal/lifecycle/step"
	"mindroom/internal/skill"
	"mindroom/internal/store"
	"mindroom/internal/tool"
)

// maxAttempts is how often a turn is started without getting anywhere. A turn
// that ends the process whenever it runs must not do so for ever.
const maxAttempts = 5

// errCancelled is why a cancelled response's contexts end.
var errCancelled = errors.New("the response was cancelled")

// response is the work on one turn in this process.
type response struct {
	e    *Engine
	id   string
	lane lane

	mu     sync.Mutex
	cancel context.CancelCauseFunc // nil before the work has a context
	by     string                  // who cancelled it; "" for nobody
	info   Info

	// What follows is the work's own and set before anything else runs.
	row     row
	cp      Checkpoint
	snap    *config.Snapshot
	agent   *config.Agent
	model   Model
	surface *tool.Surface
	// skills are the agent's when the work on the turn began (M14).
	skills []skill.Skill
	// child is set where the response works for another one.
	child  *child
	shares tool.Shares
	seen   *progress
	// shortenings is how often the question was made shorter to fit; suspected
	// says that a bad request was taken for one that is too long.
	shortenings int
	suspected   bool
	// blind: the model refused a question for its files and sees none any more.
	blind bool
	// resumed: the open batch was parked before it is carried out.
	resumed bool
	// owner is the door of mindroom-agent; nil where the response has none. fresh
	// says that this process has not had one for this turn before.
	owner *owner
	fresh bool
}

func newResponse(e *Engine, id string, l lane) *response {
	return &response{e: e, id: id, lane: l, info: Info{Turn: id, Agent: l.agent, Began: e.Wall.Now(), Step: StepStarting}}
}

// guarded works on the turn and reports whether it came to an end, or could be
// left for the next start. A panic ends the turn and not the process.
func (r *response) guarded(ctx context.Context) (settled bool) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	r.mu.Lock()
	r.cancel = cancel
	if r.by != "" {
		cancel(errCancelled)
	}
	r.mu.Unlock()
	err := lifecycle.Call(func() error { return r.work(ctx) })
	var fell *lifecycle.PanicError
	if errors.As(err, &fell) {
		r.e.Log.Error("a response failed inside", "turn", r.id, "panic", fell.Value, "stack", string(fell.Stack))
		err = lifecycle.Call(func() error {
			return r.finish(ctx, ending{state: Failed, reason: ReasonPanic, note: noteFault})
		})
	}
	if err != nil && ctx.Err() == nil {
		r.e.Log.Error("a response came to no end", "turn", r.id, "err", err)
	}
	return err == nil
}

// work carries the turn from its checkpoint to its end. An error means that it
// was left where it stands: the process is stopping.
func (r *response) work(ctx context.Context) error {
	if err := r.load(ctx); err != nil {
		return err
	}
	if r.row.state.Terminal() {
		// The list that named the turn was read before its end: it only nominates.
		return nil
	}
	if r.child != nil {
		return r.child.work(ctx, r)
	}
	if r.cancelled() {
		return r.finish(ctx, cancelledEnding)
	}
	if !r.row.state.waiting() {
		return nil // nor one that has parked since
	}
	if r.row.attempts >= maxAttempts {
		return r.finish(ctx, ending{state: Failed, reason: ReasonAttempts, note: noteFault})
	}
	if end, ok := r.prepare(); !ok {
		return r.finish(ctx, end)
	}
	if err := r.chooseMode(ctx); err != nil {
		return err
	}
	if end, ok := r.permitted(); !ok {
		return r.finish(ctx, end)
	}
	if err := r.open(ctx); err != nil {
		return err
	}
	if r.row.state == Ready {
		step.Reached(step.TurnClaimed)
	} else {
		step.Reached(step.TurnOpened)
	}
	typing := lifecycle.New(ctx)
	typing.Go("typing", r.typing)
	defer func() { _ = typing.Stop(context.WithoutCancel(ctx)) }() // after the end: a slow notice must not hold it up
	end, err := r.shown(ctx)
	if errors.Is(err, errParked) {
		return nil
	}
	if err != nil {
		return err
	}
	return r.finish(ctx, end)
}

// shown converses while the room sees the answer grow. When it returns no edit
// in progress is written any more.
func (r *response) shown(ctx context.Context) (ending, error) {
	group := lifecycle.New(context.WithoutCancel(ctx))
	over := make(chan struct{})
	defer func() {
		close(over)
		if err := group.Wait(); err != nil { // a panic: it costs edits, not the answer
			r.e.Log.Error("edits in progress ended early", "turn", r.id, "err", err)
		}
	}()
	if r.cp.Streamed {
		group.Go("edits", func(context.Context) error { return r.seen.run(over) })
	}
	return r.converse(ctx)
}

// load reads the row and its checkpoint.
func (r *response) load(ctx context.Context) error {
	err := r.persist(ctx, func() error {
		return r.e.DB.Read(context.WithoutCancel(ctx), func(q *store.Reader) (err error) {
			r.row, err = load(q, r.id)
			return err
		})
	})
	if err != nil {
		return err
	}
	cp, err := decodeCheckpoint(r.row.checkpoint)
	if err != nil {
		return err
	}
	r.cp = cp
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.row.cancelBy != "" {
		r.by = r.row.cancelBy
	}
	r.info.Room, r.info.Thread, r.info.Requester = r.row.room, r.row.threadRoot, r.row.who.Requester
	return nil
}

// prepare pins the configuration: prompt, model and surface of the turn are of
// one snapshot. It is false with the ending of a turn that cannot be worked on.
func (r *response) prepare() (ending, bool) {
	r.snap = r.e.Config.Current()
	r.agent = r.snap.Config.Agents[r.row.agent]
	if r.agent == nil {
		return ending{state: Failed, reason: ReasonAgentRemoved, note: "The agent is no longer configured."}, false
	}
	var err error
	if r.model, err = r.asks(); err != nil {
		return ending{state: Failed, reason: ReasonNoModel, note: noteError(err.Error())}, false
	}
	if r.surface, err = r.e.Room.Registry.Surface(r.snap, r.row.agent); err != nil {
		return ending{state: Failed, reason: ReasonAgentRemoved, note: noteError(err.Error())}, false
	}
	if r.child != nil {
		r.surface = r.child.narrow(r.e, r.snap, r.surface)
	}
	r.findSkills()
	for _, problem := range r.surface.Problems {
		r.e.Log.Warn("a toolkit is missing from an agent", "turn", r.id, "err", problem)
	}
	return ending{}, true
}

// asks is the model that the response asks: a subagent's own where it was given one.
func (r *response) asks() (Model, error) {
	if r.child != nil && r.child.sub.model != "" {
		return r.e.modelNamed(r.snap, r.child.sub.model)
	}
	return r.e.Models(r.snap, r.row.agent, r.row.room)
}

// open makes it visible that the turn has begun: the placeholder, once, and the
// attempt. A turn that was taken up again keeps its message.
func (r *response) open(ctx context.Context) error {
	if r.cp.Phase == phaseNew && !r.cp.Streamed {
		r.cp.Streamed = r.snap.Config.Defaults.EnableStreaming
	}
	checkpoint, err := r.cp.encode()
	if err != nil {
		return err
	}
	err = r.write(ctx, func(tx *store.Tx) error {
		if _, err := tx.Exec(`UPDATE turns SET attempts = $2 WHERE turn_id = $1`, r.id, r.row.attempts+1); err != nil {
			return err
		}
		if r.row.state == Ready {
			if err := r.e.move(tx, r.id, Claimed, ByWork, ""); err != nil {
				return err
			}
		}
		if err := saveCheckpoint(tx, r.id, checkpoint); err != nil {
			return err
		}
		if !r.cp.Streamed {
			return nil
		}
		if _, err := r.e.Outbox.Enqueue(tx, r.placeholder()); err != nil {
			return err
		}
		return r.offerStop(tx)
	})
	r.seen = newProgress(r.cp.View, placeholderText, r.snap.Config.Defaults.Streaming, time.Now(), r.visible, func(v view) { r.showProgress(v) })
	return err
}

// cancelled reports whether somebody has cancelled the turn.
func (r *response) cancelled() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.by != "" || r.child != nil && r.child.gone()
}
