package matrix

import (
	"sync"
	"time"
)

// Health is how an account's sync loop does.
type Health struct {
	// LastSuccess is when a sync response was last journalled; zero for never.
	LastSuccess time.Time
	// Silence is how long ago that is, whatever was done to the clock meanwhile; for
	// an account that never succeeded, since it was made ready.
	Silence time.Duration
	// Failures counts the failures since then.
	Failures int
	// Kind is that of the last failure; empty after a success.
	Kind Kind
}

type health struct {
	mu    sync.Mutex
	now   Health
	since time.Time // what Silence is measured from, which no clock moves
	oks   int
}

func (h *health) ok(at time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.now = Health{LastSuccess: at}
	h.since = time.Now()
	h.oks++
}

// successes counts them.
func (h *health) successes() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.oks
}

func (h *health) failed(k Kind) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.now.Failures++
	h.now.Kind = k
}

func (h *health) last() Health {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := h.now
	now.Silence = time.Since(h.since)
	return now
}

// Health tells how each ready account does, by account key.
func (n *Network) Health() map[string]Health {
	n.mu.RLock()
	defer n.mu.RUnlock()
	out := make(map[string]Health, len(n.accounts))
	for key, a := range n.accounts {
		out[key] = a.health.last()
	}
	return out
}
