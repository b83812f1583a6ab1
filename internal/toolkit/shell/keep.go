package shell

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"
)

// crowded reports whether as many commands of o as may run go on in the background.
func (p *Processes) crowded(o owner) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	running := 0
	for _, r := range p.records {
		if r.owner == o && r.kept && !r.isFinal() {
			running++
		}
	}
	return running >= MaxRunning
}

// keep lets a command go on under its handle. It is false when the runtime is
// going down; the command is the caller's to end then.
func (p *Processes) keep(r *record) bool {
	p.makeRoom(r.owner)
	p.mu.Lock()
	r.kept = true
	p.mu.Unlock()
	return p.runner.Go("shell command "+r.handle, func(ctx context.Context) error {
		p.watch(ctx, r)
		return nil
	})
}

// makeRoom drops o's oldest finished commands above maxKept.
func (p *Processes) makeRoom(o owner) {
	p.mu.Lock()
	defer p.mu.Unlock()
	kept := 0
	for i := len(p.records) - 1; i >= 0; i-- {
		r := p.records[i]
		if r.owner != o {
			continue
		}
		if kept++; kept > maxKept && r.isFinal() {
			p.drop(r)
		}
	}
}

// watch waits for the end of a kept command, frees what it holds and forgets
// it after Retention.
func (p *Processes) watch(ctx context.Context, r *record) {
	select {
	case <-r.proc.Dead():
	case <-p.stop:
	case <-ctx.Done():
	}
	p.finish(ctx, r)
	timer := time.NewTimer(Retention)
	defer timer.Stop()
	select {
	case <-timer.C:
		p.forget(r)
	case <-r.dropped:
	case <-p.stop:
	case <-ctx.Done():
	}
}

// finish settles r, ending what is left of it first.
func (p *Processes) finish(ctx context.Context, r *record) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endBudget)
	defer cancel()
	if err := r.finish(ctx, true); err != nil {
		slog.WarnContext(ctx, "a shell command was not cleared up", "handle", r.handle, "error", err)
	}
}

// Close ends every command by force and waits until nothing of any is left. The
// error names those for which that cannot be shown before ctx ends. No command
// starts afterwards. The goroutines belong to the runner, which waits for them.
func (p *Processes) Close(ctx context.Context) error {
	p.mu.Lock()
	if !p.closed {
		p.closed = true
		close(p.stop)
	}
	records := append([]*record(nil), p.records...)
	p.mu.Unlock()
	// All are told first, so that they end side by side.
	for _, r := range records {
		if !r.isFinal() {
			// What goes wrong here shows again when it is waited for.
			_ = r.proc.End(ctx, true)
		}
	}
	var errs []error
	for _, r := range records {
		if err := r.finish(ctx, true); err != nil {
			errs = append(errs, fmt.Errorf("command %s: %w", r.handle, err))
		}
	}
	return errors.Join(errs...)
}
