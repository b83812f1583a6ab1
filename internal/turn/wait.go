package turn

import (
	"context"

	"mindroom/internal/store"
)

// announce tells everybody in Wait and Idle to look again.
func (e *Engine) announce() {
	e.mu.Lock()
	defer e.mu.Unlock()
	close(e.changed)
	e.changed = make(chan struct{})
}

// Wait returns a turn's terminal state, or ErrUnknown, or ctx's error.
func (e *Engine) Wait(ctx context.Context, turn string) (State, error) {
	var state State
	err := e.until(ctx, func(q store.Queryer) (bool, error) {
		r, err := load(q, turn)
		state = r.state
		return err == nil && r.state.Terminal(), err
	})
	return state, err
}

// Idle returns when no turn runs and none could, or with ctx's error.
func (e *Engine) Idle(ctx context.Context) error {
	return e.until(ctx, func(q store.Queryer) (bool, error) {
		waiting, err := runnable(q)
		e.mu.Lock()
		defer e.mu.Unlock()
		for _, t := range waiting {
			if !e.stuck[t.id] {
				return false, err
			}
		}
		return len(e.running) == 0, err
	})
}

func (e *Engine) until(ctx context.Context, done func(store.Queryer) (bool, error)) error {
	for {
		e.mu.Lock()
		changed := e.changed
		e.mu.Unlock()
		var ok bool
		err := e.DB.Read(ctx, func(r *store.Reader) (err error) {
			ok, err = done(r)
			return err
		})
		if err != nil || ok {
			return err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
