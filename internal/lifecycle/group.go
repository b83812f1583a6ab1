package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
)

// Runner is the part of a Group that a component needs to run something. It
// reports false when the group is over and fn was not started.
type Runner interface {
	Go(name string, fn func(ctx context.Context) error) bool
}

var _ Runner = (*Group)(nil)

// Group owns goroutines. Make one with New.
type Group struct {
	ctx    context.Context
	cancel context.CancelCauseFunc

	mu      sync.Mutex
	live    map[string]int
	count   int
	waiting bool // someone waits for count to reach zero
	over    bool
	done    chan struct{} // closed with over
	err     error
	steps   []Step
	stopped bool
}

// New makes a group whose goroutines are told to leave when parent ends.
func New(parent context.Context) *Group {
	ctx, cancel := context.WithCancelCause(parent)
	return &Group{ctx: ctx, cancel: cancel, live: map[string]int{}, done: make(chan struct{})}
}

// Context ends when the group's goroutines are to leave; its cause says why.
func (g *Group) Context() context.Context { return g.ctx }

// Go runs fn in a goroutine of the group, with the group's context. The name is
// for errors and for the list of what did not leave in time; it need not be
// unique. Returning nil is an ordinary end; any other return ends the group,
// except context.Canceled once the group's context has ended.
//
// Go reports false, and starts nothing, once the group's goroutines were told
// to leave: whoever accepted work must then refuse it.
func (g *Group) Go(name string, fn func(ctx context.Context) error) bool {
	return g.start(name, fn, false)
}

func (g *Group) start(name string, fn func(ctx context.Context) error, step bool) bool {
	g.mu.Lock()
	if g.over || (!step && g.ctx.Err() != nil) {
		g.mu.Unlock()
		return false
	}
	g.count++
	g.live[name]++
	g.mu.Unlock()
	go func() {
		err := errGoexit // stands unless Call returns
		defer func() { g.leave(name, err) }()
		err = Call(func() error { return fn(g.ctx) })
	}()
	return true
}

func (g *Group) leave(name string, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if err != nil && !(g.ctx.Err() != nil && errors.Is(err, context.Canceled)) {
		err = fmt.Errorf("%s: %w", name, err)
		if g.err == nil {
			g.err = err
		}
		g.cancel(err)
	}
	g.count--
	if g.live[name]--; g.live[name] == 0 {
		delete(g.live, name)
	}
	if g.count == 0 && g.waiting {
		g.finish()
	}
}

// finish is called with mu held and nothing running.
func (g *Group) finish() {
	if !g.over {
		g.over = true
		g.cancel(context.Canceled)
		close(g.done)
	}
}

// Wait returns when every goroutine has returned, with the first error. The
// group is over then: Go starts nothing more.
func (g *Group) Wait() error {
	<-g.drained()
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.err
}

func (g *Group) drained() <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.waiting = true
	if g.count == 0 {
		g.finish()
	}
	return g.done
}

// Live returns the sorted names of the goroutines that have not returned.
func (g *Group) Live() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	names := make([]string, 0, len(g.live))
	for name := range g.live {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
