package script

import (
	"sync"
	"sync/atomic"
	"time"

	"mindroom/internal/identity"
)

// live is what this process holds of a run that is not terminal.
type live struct {
	// run is the row as it was launched; only its fixed fields are read.
	run   *Run
	token tokenHash

	// mu makes launch, cancel and settling of one run exclude each other. The
	// intent to cancel is written before it is taken, so that a launch under way
	// sees it.
	mu sync.Mutex
	// revoked follows the durable mark, never precedes it.
	revoked atomic.Bool
	// doomed is an end that has to come although its intent could not be stored:
	// a launch that failed, or a runtime that stops, has nobody else to ask for it.
	// nil for none.
	doomed atomic.Pointer[doom]
	// trouble is why the run could not be settled at the last try; nil for nothing.
	trouble atomic.Pointer[Trouble]
	// began is when this process took the run up; it carries the monotonic clock,
	// which no change of the time moves.
	began time.Time
	// gone is closed once the run is terminal.
	gone chan struct{}
	// unlearn takes the capability out of the redactor when it is worth nothing
	// any more; nil for an inherited run, whose capability is not known.
	unlearn func()

	calls *calls
}

// doom is a reason to end a run, with what is told to people.
type doom struct {
	reason Reason
	text   string
}

func (m *Manager) track(r *Run, token tokenHash) *live {
	lv := &live{run: r, token: token, began: time.Now(), gone: make(chan struct{}), calls: newCalls(r.MaxCallsPerMinute)}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.live[r.ID] = lv
	if token != "" {
		m.byToken[token] = lv
	}
	return lv
}

func (m *Manager) lookup(id identity.RunID) *live {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.live[id]
}

func (m *Manager) forget(lv *live) {
	m.mu.Lock()
	delete(m.live, lv.run.ID)
	delete(m.byToken, lv.token)
	m.mu.Unlock()
	if lv.unlearn != nil {
		lv.unlearn()
	}
	close(lv.gone)
}

func (m *Manager) all() []*live {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := make([]*live, 0, len(m.live))
	for _, lv := range m.live {
		out = append(out, lv)
	}
	return out
}
