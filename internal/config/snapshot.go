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
// is in the error. A Commit runs before Publish returns; changes are published one at a time.
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
	h.current.Store(snapshot)
	for _, p := range h.participants {
		p.Commit(old, snapshot)
	}
	return snapshot, nil
}
