package rig

import (
	"context"
	"fmt"
	"sync"
	"time"

	"mindroom/internal/identity"
	"mindroom/internal/worker"
)

// nobody is a backend whose runs have no process: thousands of them fit on one
// machine, and what is measured is the primary alone. Whoever holds a run's
// capability plays its script.
type nobody struct {
	mu    sync.Mutex
	ended map[identity.RunID]chan struct{}
	exits map[identity.RunID]worker.Exit
}

var _ worker.Backend = (*nobody)(nil)

func newNobody() *nobody {
	return &nobody{ended: map[identity.RunID]chan struct{}{}, exits: map[identity.RunID]worker.Exit{}}
}

func (*nobody) Name() string { return "nobody" }

func (*nobody) Containment() string { return "" }

func (b *nobody) Start(_ context.Context, spec worker.Spec) (worker.Handle, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ended[spec.Run] = make(chan struct{})
	return worker.Handle{Version: 1, Backend: b.Name()}, nil
}

func (b *nobody) Ended(run identity.RunID) <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.ended[run]
}

func (b *nobody) Exit(run identity.RunID) (worker.Exit, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	exit, ok := b.exits[run]
	return exit, ok
}

func (*nobody) Output(_ context.Context, run identity.RunID, _ string, _ int64) (worker.Output, error) {
	return worker.Output{}, fmt.Errorf("run %s has no process that could write", run)
}

func (b *nobody) End(_ context.Context, run identity.RunID, _ string, _ worker.Handle, _ bool) (worker.Exit, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	ended, ok := b.ended[run]
	if !ok {
		return worker.Exit{}, worker.ErrLost
	}
	if _, again := b.exits[run]; !again {
		b.exits[run] = worker.Exit{Cause: worker.CauseEnded, At: time.Now()}
		close(ended)
	}
	return b.exits[run], nil
}

func (b *nobody) Forget(run identity.RunID) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.ended, run)
	delete(b.exits, run)
}
