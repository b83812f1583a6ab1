package turn

import (
	"context"
)

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
