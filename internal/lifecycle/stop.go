package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Step is one part of an ordered shutdown.
type Step struct {
	Name string
	// Budget bounds the step. Zero means whatever is left of Stop's context.
	// When the context has less left than the budgets of the steps to come,
	// each gets its share of what is left.
	Budget time.Duration
	// Stop brings the part down. It should return when its context ends, with
	// an error saying what it had to leave behind.
	Stop func(ctx context.Context) error
}

// ErrStopping is returned by a Stop that is not the first.
var ErrStopping = errors.New("already stopping")

// OnStop adds a step. Steps run in the reverse order of adding, so a part that
// adds its step right after it started stops before everything it was built on.
func (g *Group) OnStop(step Step) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.steps = append(g.steps, step)
}

// Stop runs the steps, then tells the goroutines to leave and waits for them
// until ctx ends. The error joins those of the steps and the first of the
// group, and names whatever did not end in time.
func (g *Group) Stop(ctx context.Context) error {
	g.mu.Lock()
	if g.stopped {
		g.mu.Unlock()
		return ErrStopping
	}
	g.stopped = true
	steps := g.steps
	g.mu.Unlock()

	var errs []error
	for i := len(steps) - 1; i >= 0; i-- {
		if err := g.runStep(ctx, steps[:i+1]); err != nil {
			errs = append(errs, fmt.Errorf("stopping %s: %w", steps[i].Name, err))
		}
	}
	g.cancel(context.Canceled)
	select {
	case <-g.drained():
	case <-ctx.Done():
	}
	if live := g.Live(); len(live) > 0 {
		errs = append(errs, fmt.Errorf("still running when the time to stop was over: %s", strings.Join(live, ", ")))
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return errors.Join(append(errs, g.err)...)
}

// runStep runs the last of steps and returns when it did or its share is spent.
func (g *Group) runStep(ctx context.Context, steps []Step) error {
	step := steps[len(steps)-1]
	stepCtx, cancel := context.WithCancel(ctx)
	defer cancel()
	if budget := share(ctx, steps); budget > 0 {
		stepCtx, cancel = context.WithTimeout(ctx, budget)
		defer cancel()
	}
	result := make(chan error, 1)
	started := g.start("stop "+step.Name, func(context.Context) error {
		result <- Call(func() error { return step.Stop(stepCtx) })
		return nil
	}, true)
	if !started { // the group ended by itself: nothing runs any more, but the step must
		return Call(func() error { return step.Stop(stepCtx) })
	}
	select {
	case err := <-result:
		return err
	case <-stepCtx.Done():
	}
	// A step that ends because its context did deserves to say what it left.
	select {
	case err := <-result:
		return err
	case <-time.After(grace):
		return fmt.Errorf("did not end in time and was left behind: %w", context.Cause(stepCtx))
	}
}

// grace is how long a step may take to notice that its context ended.
const grace = 100 * time.Millisecond

// share is the budget of the last of steps: its own, or its part of the time
// left when the steps to come ask for more than that. Zero means no bound.
func share(ctx context.Context, steps []Step) time.Duration {
	budget := steps[len(steps)-1].Budget
	deadline, bounded := ctx.Deadline()
	if budget <= 0 || !bounded {
		return budget
	}
	var sum time.Duration
	for _, s := range steps {
		sum += s.Budget
	}
	if left := time.Until(deadline); sum > left {
		return max(time.Duration(float64(left)*float64(budget)/float64(sum)), 1)
	}
	return budget
}
