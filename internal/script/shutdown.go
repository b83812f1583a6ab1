package script

import (
	"context"
	"time"
)

// drain is how long calls that began may take to finish at shutdown, so that
// their receipts say what happened and not that it cannot be proven.
const drain = 3 * time.Second

// launchPatience is how long a stop waits for launches under way before it revokes
// the runs. A launch that takes longer finds its own run revoked and ends it.
const launchPatience = 2 * time.Second

// Shutdown stops admitting, waits a while for launches under way, and ends every run: it
// revokes all of them durably first, lets begun calls finish for a moment, then
// ends the processes and confirms it until ctx ends. A run whose end is not
// confirmed stays revoked and nonterminal for the next start (S74).
func (m *Manager) Shutdown(ctx context.Context) error {
	m.mu.Lock()
	m.closing.Store(true)
	m.mu.Unlock()
	m.awaitLaunches(ctx)
	runs := m.all()
	if err := m.revokeAtShutdown(ctx, runs); err != nil {
		return err
	}
	ended := make(chan error, len(runs))
	started := 0
	for _, lv := range runs {
		if m.cfg.Run.Go("end "+string(lv.run.ID), func(context.Context) error {
			ended <- m.endAtShutdown(ctx, lv)
			return nil
		}) {
			started++
		}
	}
	for range started {
		select {
		case err := <-ended:
			if err != nil {
				m.log.Warn("a run is left to the next start", "error", err)
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// awaitLaunches waits until no launch is under way, or its patience is over: one
// that hangs must not keep the other runs from being revoked.
func (m *Manager) awaitLaunches(ctx context.Context) {
	over := make(chan struct{})
	if !m.cfg.Run.Go("launches under way", func(context.Context) error {
		m.launches.Wait()
		close(over)
		return nil
	}) {
		return
	}
	timer := time.NewTimer(launchPatience)
	defer timer.Stop()
	select {
	case <-over:
	case <-timer.C:
	case <-ctx.Done():
	}
}

// revokeAtShutdown revokes every run in one transaction. Where that cannot be
// stored, no process is touched here; but whoever ends them afterwards, as the
// backend does when it closes, finds that it was the stop, and not a fault of the
// script, that ended them.
func (m *Manager) revokeAtShutdown(ctx context.Context, runs []*live) error {
	doomed := map[*live]Reason{}
	for _, lv := range runs {
		lv.doomed.CompareAndSwap(nil, &doom{reason: ReasonShutdown})
		if !lv.revoked.Load() {
			doomed[lv] = ReasonShutdown
		}
	}
	return m.revokeTogether(ctx, doomed)
}

func (m *Manager) endAtShutdown(ctx context.Context, lv *live) error {
	idle := make(chan struct{})
	m.cfg.Run.Go("drain "+string(lv.run.ID), func(context.Context) error {
		lv.calls.wait()
		close(idle)
		return nil
	})
	timer := time.NewTimer(drain)
	defer timer.Stop()
	select {
	case <-idle:
	case <-timer.C:
	case <-ctx.Done():
	}
	lv.calls.interrupt()
	lv.mu.Lock()
	defer lv.mu.Unlock()
	_, err := m.settle(ctx, lv, true)
	return err
}
