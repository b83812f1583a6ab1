package config

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
)

// Snapshot is one published configuration. It never changes. A turn keeps the one it began with; policy and authority read the
// newest.
type Snapshot struct {
	Number uint64 // counts from 1 in one process; greater is newer
	Config *Config
}

// Holder keeps the current snapshot. Nothing else in the process reads configuration files after the start.
// Its methods may be called from any goroutine.
type Holder struct {
	current      atomic.Pointer[Snapshot]
	change       sync.Mutex
	participants []Participant
}

// Participant is asked before a reload and told about it afterwards.
type Participant interface {
	// Prepare may refuse the change with an error that says what to do, and must not act on it. It may not call the Holder's
	// Publish or Join.
	Prepare(old, next *Snapshot) error
	// Commit acts on a change every participant prepared for. By then the snapshot is current. It cannot fail.
	Commit(old, next *Snapshot)
}

// Binder is a participant that has something to make durable before a change is visible: that runs which may not live under the
// new configuration are revoked, for one.
type Binder interface {
	Participant
	// Bind is called once every participant has prepared. An error refuses the change; what was made durable stays, so it must be
	// right under either configuration. release is called exactly once, after the last Commit or when the change was refused
	// after all; it is not nil when err is.
	Bind(old, next *Snapshot) (release func(), err error)
}

// NewHolder publishes first as snapshot 1.
func NewHolder(first *Config) *Holder {
	h := &Holder{}
	h.current.Store(&Snapshot{Number: 1, Config: first})
	return h
}

// Current is the newest snapshot; never nil. It costs one atomic load.
func (h *Holder) Current() *Snapshot { return h.current.Load() }

// Join adds a participant for later changes. Participants prepare and commit in the order they joined.
func (h *Holder) Join(p Participant) {
	h.change.Lock()
	defer h.change.Unlock()
	h.participants = append(h.participants, p)
}

// Publish makes next the current configuration, if every participant agrees. On a refusal nothing changes and every objection
// is in the error, and so it is when a Binder fails. A Commit runs before Publish returns; changes are published one at a time.
func (h *Holder) Publish(next *Config) (*Snapshot, error) {
	h.change.Lock()
	defer h.change.Unlock()
	old := h.current.Load()
	snapshot := &Snapshot{Number: old.Number + 1, Config: next}
	var refusals []error
	for _, p := range h.participants {
		if err := p.Prepare(old, snapshot); err != nil {
			refusals = append(refusals, err)
		}
	}
	if len(refusals) > 0 {
		return nil, fmt.Errorf("the new configuration was refused, the old one stays: %w", errors.Join(refusals...))
	}
	for _, p := range h.participants {
		b, ok := p.(Binder)
		if !ok {
			continue
		}
		release, err := b.Bind(old, snapshot)
		if err != nil {
			return nil, fmt.Errorf("the new configuration could not be prepared for, the old one stays: %w", err)
		}
		defer release()
	}
	h.current.Store(snapshot)
	for _, p := range h.participants {
		p.Commit(old, snapshot)
	}
	return snapshot, nil
}
