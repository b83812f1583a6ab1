package turn

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"mindroom/internal/lifecycle"
	"mindroom/internal/media/scale"
	"mindroom/internal/store"
)

// maxResponses is how many responses run side by side in one process.
const maxResponses = 64

// Engine works on turns: one at a time for an agent in a conversation, others
// side by side. Make one with New.
type Engine struct {
	Parts
	wake chan struct{}

	mu      sync.Mutex
	running map[string]*response
	// stuck are turns that ended their work without an end, which only a fault
	// of the program or of the store does; the next start takes them up again.
	stuck map[string]bool
	// jobs are the subagents in the background; nil before Run.
	jobs    *lifecycle.Group
	changed chan struct{}
	news    chan struct{} // closed and replaced at News
	// hinted are parked turns of which a question has ended; review says that
	// people or the configuration changed, which may end parked turns.
	hinted map[string]bool
	review bool
	// owners are the open doors of mindroom-agent by turn, those of parked turns
	// among them.
	owners map[string]*owner
	// pictures reads files as models are shown them; nil where none are kept.
	pictures *scale.Loader
}

// New makes an engine; Run works.
func New(p Parts) *Engine {
	if p.Log == nil {
		p.Log = slog.Default()
	}
	if p.Grace == 0 {
		p.Grace = 10 * time.Second
	}
	e := &Engine{Parts: p, wake: make(chan struct{}, 1), running: map[string]*response{}, stuck: map[string]bool{}, changed: make(chan struct{}),
		news: make(chan struct{}), hinted: map[string]bool{}, owners: map[string]*owner{}}
	if p.Media != nil {
		e.pictures = scale.NewLoader(p.Media.Load)
	}
	return e
}

// Wake makes the engine look for turns; it never blocks.
func (e *Engine) Wake() {
	select {
	case e.wake <- struct{}{}:
	default:
	}
}

// Run takes up what the last process left and then works on turns until ctx
// ends. It returns when every response has left: those without a begun call at
// once, the others within Grace and the time a body takes to stop. An error
// means that the store could not be read at the start.
func (e *Engine) Run(ctx context.Context) error {
	if err := e.takeUp(ctx); err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
	group := lifecycle.New(ctx)
	e.mu.Lock()
	e.jobs = group
	e.mu.Unlock()
	for {
		wait := time.Duration(0)
		if err := e.schedule(ctx, group); err != nil && ctx.Err() == nil {
			e.Log.Error("turns cannot be read; trying again", "err", err)
			wait = time.Second
		}
		if !e.pause(ctx, wait) {
			return group.Wait()
		}
	}
}

// pause waits for a wake, or for the given time when that is set. It is false
// when ctx has ended.
func (e *Engine) pause(ctx context.Context, wait time.Duration) bool {
	var timer <-chan time.Time
	if wait > 0 {
		t := time.NewTimer(wait)
		defer t.Stop()
		timer = t.C
	}
	select {
	case <-ctx.Done():
		return false
	case <-e.wake:
	case <-timer:
	}
	return ctx.Err() == nil
}

// lane is within which turns are answered one after another.
type lane struct{ agent, conversation string }

// schedule starts every turn that is first in its lane and has room to run.
func (e *Engine) schedule(ctx context.Context, group *lifecycle.Group) error {
	if err := e.resume(ctx); err != nil {
		return err
	}
	var waiting []queued
	err := e.DB.Read(ctx, func(r *store.Reader) (err error) {
		waiting, err = runnable(r)
		return err
	})
	if err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	busy := map[lane]bool{}
	for _, r := range e.running {
		busy[r.lane] = true
	}
	for _, t := range waiting {
		l := lane{t.agent, t.conversation}
		if t.cancelled {
			// Its end needs no turn of its own in the conversation.
			l.conversation = "cancelled " + t.id
		}
		if e.stuck[t.id] || busy[l] || len(e.running) >= maxResponses {
			continue
		}
		busy[l] = true
		e.start(group, t.id, l)
	}
	return nil
}

// start is called with mu held.
func (e *Engine) start(group *lifecycle.Group, id string, l lane) {
	r := newResponse(e, id, l)
	e.running[id] = r
	started := group.Go("turn "+id, func(ctx context.Context) error {
		defer e.Wake()
		settled := r.guarded(ctx)
		e.mu.Lock()
		delete(e.running, id)
		if !settled && ctx.Err() == nil {
			e.stuck[id] = true
		}
		e.mu.Unlock()
		e.announce()
		return nil
	})
	if !started {
		delete(e.running, id)
	}
}
