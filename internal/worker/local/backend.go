package local

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"mindroom/internal/identity"
	"mindroom/internal/supervise"
	"mindroom/internal/worker"
)

const (
	name = "local"
	// handleVersion is the form of the handle's state, which is empty: the
	// run's folder is enough to find a local supervisor.
	handleVersion = 1
	// orphanGrace is how long a script goes on while its primary is gone. The
	// next start interrupts it anyway (S72), so it is only long enough for a
	// primary that is stopped and continued.
	orphanGrace = time.Minute
	// maxProcesses bounds the processes and threads of one script.
	maxProcesses = 512
)

// Backend is the local backend.
type Backend struct {
	containment string

	mu        sync.Mutex
	processes map[identity.RunID]*supervise.Process
}

var _ worker.Backend = (*Backend)(nil)

// New makes the backend. It fails where process trees cannot be contained at
// all (S57).
func New() (*Backend, error) {
	c, err := supervise.Probe()
	if err != nil {
		return nil, fmt.Errorf("local backend: %w", err)
	}
	return &Backend{containment: string(c.Level), processes: map[identity.RunID]*supervise.Process{}}, nil
}

// Name is "local".
func (b *Backend) Name() string { return name }

// Containment is the level that holds trees here.
func (b *Backend) Containment() string { return b.containment }

// supervisorFolder is the supervisor's own part of a run's folder.
func supervisorFolder(folder string) string { return filepath.Join(folder, "supervisor") }

// Start starts the process under a supervisor of its own.
func (b *Backend) Start(ctx context.Context, spec worker.Spec) (worker.Handle, error) {
	p, err := supervise.Start(ctx, supervise.Spec{
		Argv: spec.Argv, Env: spec.Env, Dir: spec.Dir, RunDir: supervisorFolder(spec.Folder),
		Deadline: spec.Deadline, OrphanGrace: orphanGrace, MaxProcs: maxProcesses,
		OnLeaderExit: supervise.LeaderExitKill,
	})
	if err != nil {
		// After an error of Start nothing runs; it says so.
		return worker.Handle{}, fmt.Errorf("%w: %w", worker.ErrNotStarted, err)
	}
	b.mu.Lock()
	b.processes[spec.Run] = p
	b.mu.Unlock()
	return worker.Handle{Version: handleVersion, Backend: name}, nil
}

func (b *Backend) process(run identity.RunID) *supervise.Process {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.processes[run]
}

// Ended is closed when nothing of the run's tree is left.
func (b *Backend) Ended(run identity.RunID) <-chan struct{} {
	if p := b.process(run); p != nil {
		return p.Dead()
	}
	return nil
}

// Exit is how a tree of this process ended.
func (b *Backend) Exit(run identity.RunID) (worker.Exit, bool) {
	p := b.process(run)
	if p == nil {
		return worker.Exit{}, false
	}
	r, ok := p.Record()
	if !ok {
		return worker.Exit{}, false
	}
	return exitOf(r), true
}

// Output is a part of what the program wrote.
func (b *Backend) Output(ctx context.Context, run identity.RunID, _ string, offset int64) (worker.Output, error) {
	p := b.process(run)
	if p == nil {
		return worker.Output{}, fmt.Errorf("run %s is not supervised by this process", run)
	}
	var c supervise.Chunk
	var err error
	if offset < 0 {
		c, err = p.Output()
	} else {
		c, err = p.ReadFrom(ctx, offset)
	}
	if err != nil {
		return worker.Output{}, err
	}
	return worker.Output{Text: c.Text(len(c.Data)), Offset: c.Start, Total: c.Total}, nil
}

// End ends the tree and proves it. A run that this process did not start is
// reclaimed through its folder.
func (b *Backend) End(ctx context.Context, run identity.RunID, folder string, h worker.Handle, graceful bool) (worker.Exit, error) {
	p := b.process(run)
	if p == nil {
		return reclaim(ctx, folder, h)
	}
	mode := supervise.EndForce
	if graceful {
		mode = supervise.EndGraceful
	}
	if err := p.End(ctx, mode); err != nil {
		return worker.Exit{}, fmt.Errorf("%w: %w", worker.ErrUnproven, err)
	}
	select {
	case <-p.Dead():
		r, _ := p.Record()
		return exitOf(r), nil
	case <-ctx.Done():
		return worker.Exit{}, worker.ErrUnproven
	}
}

func reclaim(ctx context.Context, folder string, h worker.Handle) (worker.Exit, error) {
	if h.Backend != name || h.Version != handleVersion {
		return worker.Exit{}, fmt.Errorf("%w: %w: backend %q, version %d", worker.ErrUnproven, worker.ErrForeign, h.Backend, h.Version)
	}
	r, err := supervise.Reclaim(ctx, supervisorFolder(folder))
	if err != nil {
		return worker.Exit{}, fmt.Errorf("%w: %w", worker.ErrUnproven, err)
	}
	return exitOf(r), nil
}

// Forget frees what is kept of a run whose tree is dead.
func (b *Backend) Forget(run identity.RunID) {
	b.mu.Lock()
	p := b.processes[run]
	delete(b.processes, run)
	b.mu.Unlock()
	if p != nil {
		// The tree is dead, so closing only frees; it cannot fail to prove.
		_ = p.Close(context.Background())
	}
}

// Close ends every tree that is left and waits for the proof, until ctx ends.
func (b *Backend) Close(ctx context.Context) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	var errs []error
	for run, p := range b.processes {
		if err := p.Close(ctx); err != nil {
			errs = append(errs, fmt.Errorf("run %s: %w", run, err))
			continue
		}
		delete(b.processes, run)
	}
	return errors.Join(errs...)
}
