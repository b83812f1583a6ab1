package faultproxy

import (
	"context"
	"net/http"
	"sync"
	"time"
)

// Fault is one way to fail. The zero Fault forwards normally, which makes it
// a probe: it only counts.
type Fault struct {
	// Match says which requests the fault is for; nil means every request.
	// It must not read the body.
	Match func(*http.Request) bool
	// Times is how many exchanges are broken; 0 means all until Disarm.
	Times int
	// Hold, when not nil, keeps the request back until it is closed (or the
	// client leaves). It comes before everything else.
	Hold <-chan struct{}
	// Change, when not nil, changes the request before it is forwarded, as a faulty
	// proxy on the way does.
	Change func(*http.Request)
	// Delay holds the request back so long (or until the client leaves), after
	// Hold.
	Delay time.Duration
	// Status, when not 0, is answered instead of forwarding, with Header and
	// Body.
	Status int
	Header http.Header
	Body   string
	// Stored has the request forwarded before Status is answered: the server did
	// the work, and the client is told otherwise.
	Stored bool
	// DropRequest cuts the connection without forwarding: the server never
	// sees the request.
	DropRequest bool
	// DropReply forwards, waits for the answer and then cuts the connection.
	DropReply bool
}

// Armed is a fault in place. Its methods may be called from any goroutine.
type Armed struct {
	fault Fault

	mu   sync.Mutex
	hits int
	wake chan struct{} // closed and replaced at each hit
	off  bool
}

// Hits is how many exchanges the fault has met so far.
func (a *Armed) Hits() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.hits
}

// Disarm lets every later request pass. Exchanges it already met stay broken.
func (a *Armed) Disarm() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.off = true
}

// WaitHits returns when the fault has met at least n exchanges, or with the
// context's error.
func (a *Armed) WaitHits(ctx context.Context, n int) error {
	for {
		a.mu.Lock()
		done, wake := a.hits >= n, a.wake
		a.mu.Unlock()
		if done {
			return nil
		}
		select {
		case <-wake:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// take claims the fault for one request.
func (a *Armed) take(r *http.Request) bool {
	if a.fault.Match != nil && !a.fault.Match(r) {
		return false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.off || a.fault.Times > 0 && a.hits >= a.fault.Times {
		return false
	}
	a.hits++
	close(a.wake)
	a.wake = make(chan struct{})
	return true
}
