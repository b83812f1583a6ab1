package tool

import (
	"context"
	"errors"
	"sync"
)

// ErrNoPlace is returned by FIFO.Acquire for a call that has no place in line.
var ErrNoPlace = errors.New("the call has no place in its lane")

// FIFO is a lane of one owner: calls run one at a time in the order in which
// they took their places. A place is taken when the call is claimed, so that
// the order is the order of acceptance (S61).
type FIFO struct {
	mu    sync.Mutex
	queue []*place
}

type place struct {
	ref  Ref
	head chan struct{}
}

// Reserve takes the next place for ref. It reports whether the lane was free,
// so that the caller may claim and begin in one write. Every reserved place
// must be released, by Acquire's release or by Abandon.
func (l *FIFO) Reserve(ref Ref) (first bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := &place{ref: ref, head: make(chan struct{})}
	l.queue = append(l.queue, p)
	if len(l.queue) == 1 {
		close(p.head)
	}
	return len(l.queue) == 1
}

// Acquire waits until ref is first in line.
func (l *FIFO) Acquire(ctx context.Context, ref Ref, _ Class) (func(), error) {
	p := l.find(ref)
	if p == nil {
		return nil, ErrNoPlace
	}
	select {
	case <-p.head:
		return sync.OnceFunc(func() { l.leave(p) }), nil
	case <-ctx.Done():
		l.leave(p)
		return nil, ctx.Err()
	}
}

// Abandon gives up a reserved place; unknown refs are ignored.
func (l *FIFO) Abandon(ref Ref) {
	if p := l.find(ref); p != nil {
		l.leave(p)
	}
}

// Waiting is the number of places taken, the running call included.
func (l *FIFO) Waiting() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.queue)
}

func (l *FIFO) find(ref Ref) *place {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range l.queue {
		if p.ref == ref {
			return p
		}
	}
	return nil
}

func (l *FIFO) leave(p *place) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, q := range l.queue {
		if q != p {
			continue
		}
		l.queue = append(l.queue[:i], l.queue[i+1:]...)
		if i == 0 && len(l.queue) > 0 {
			close(l.queue[0].head)
		}
		return
	}
}

// Shares is a lane in which shared calls run side by side and an exclusive call
// runs alone, in order of arrival, so that neither can starve the other.
type Shares struct {
	mu      sync.Mutex
	running int
	alone   bool
	queue   []*waiter
}

type waiter struct {
	class Class
	ready chan struct{}
}

// Acquire waits for the right to run as class.
func (l *Shares) Acquire(ctx context.Context, _ Ref, class Class) (func(), error) {
	l.mu.Lock()
	w := &waiter{class: class, ready: make(chan struct{})}
	l.queue = append(l.queue, w)
	l.advance()
	l.mu.Unlock()
	select {
	case <-w.ready:
		return sync.OnceFunc(func() { l.done(class) }), nil
	case <-ctx.Done():
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-w.ready:
		// It became ready at the same moment; give the right back.
		l.release(class)
		return nil, ctx.Err()
	default:
	}
	for i, q := range l.queue {
		if q == w {
			l.queue = append(l.queue[:i], l.queue[i+1:]...)
			break
		}
	}
	l.advance()
	return nil, ctx.Err()
}

func (l *Shares) done(class Class) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.release(class)
}

func (l *Shares) release(class Class) {
	l.running--
	if class == Exclusive {
		l.alone = false
	}
	l.advance()
}

func (l *Shares) advance() {
	for len(l.queue) > 0 {
		w := l.queue[0]
		if l.alone || w.class == Exclusive && l.running > 0 {
			return
		}
		l.queue = l.queue[1:]
		l.running++
		l.alone = w.class == Exclusive
		close(w.ready)
	}
}
