package script

import (
	"context"
	"sync"
	"time"

	"mindroom/internal/lifecycle/step"
	"mindroom/internal/store"
	"mindroom/internal/tool"
)

const (
	// passEvery is how often what an event lost is repaired.
	passEvery = 30 * time.Second
	// overdue is how far past its deadline a run may be before the primary ends
	// it itself; until then its supervisor is expected to.
	overdue = 5 * time.Second
)

// Maintain repairs what events lost, until ctx ends: it settles what an earlier
// start left, ends runs whose owner lost access or whose time is over, takes up
// cancellations that could not be confirmed, and prunes what was kept long
// enough. Poke makes it run at once.
func (m *Manager) Maintain(ctx context.Context) error {
	ticker := time.NewTicker(passEvery)
	defer ticker.Stop()
	for {
		m.pass(ctx)
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		case <-m.poke:
		}
	}
}

// Pass is one round of Maintain, and returns when the ends it took up are
// settled or have failed. A fault of one run does not stop the others.
func (m *Manager) Pass(ctx context.Context) { m.pass(ctx).Wait() }

// pass is Pass without waiting: an end that takes its time must not delay the
// revocation of other runs.
func (m *Manager) pass(ctx context.Context) *sync.WaitGroup {
	var settling sync.WaitGroup
	if err := m.Recover(ctx); err != nil {
		m.log.Error("recovery is pending", "error", err)
		return &settling
	}
	runs := m.all()
	// Every revocation is durable before any process is touched (S16).
	if err := m.revokeAll(ctx, m.verdicts(ctx, runs)); err != nil {
		m.log.Warn("runs that may not go on could not be revoked; it is tried again", "error", err)
	}
	for _, lv := range runs {
		if ctx.Err() == nil && m.due(lv) {
			m.settleBeside(ctx, lv, &settling)
		}
	}
	if err := m.prune(ctx); err != nil {
		m.log.Warn("terminal runs could not be pruned", "error", err)
	}
	return &settling
}

// verdicts are the runs that have to end, each with why.
func (m *Manager) verdicts(ctx context.Context, runs []*live) map[*live]Reason {
	doomed := map[*live]Reason{}
	for _, lv := range runs {
		if lv.revoked.Load() {
			continue
		}
		if reason, must := m.verdict(ctx, lv); must {
			doomed[lv] = reason
		}
	}
	return doomed
}

// due reports whether a run has an end to be taken up. An end may have been seen
// when it could not be stored.
func (m *Manager) due(lv *live) bool {
	_, ended := m.cfg.Backend.Exit(lv.run.ID)
	return ended || lv.revoked.Load() || lv.doomed.Load() != nil
}

// settleBeside settles a run in a goroutine of its own, unless a launch, a
// cancellation or another round is at it.
func (m *Manager) settleBeside(ctx context.Context, lv *live, settling *sync.WaitGroup) {
	if !lv.mu.TryLock() {
		return
	}
	settling.Add(1)
	started := m.cfg.Run.Go("settle "+string(lv.run.ID), func(context.Context) error {
		defer settling.Done()
		defer lv.mu.Unlock()
		if _, err := m.settle(ctx, lv, true); err != nil {
			m.log.Warn("a run could not be reconciled; it is tried again", "run", lv.run.ID, "error", err)
		}
		return nil
	})
	if !started {
		lv.mu.Unlock()
		settling.Done()
	}
}

// verdict decides whether a run has to end, and why. What cannot be told now
// ends nothing.
func (m *Manager) verdict(ctx context.Context, lv *live) (Reason, bool) {
	r := lv.run
	snap := m.cfg.Snapshots.Current()
	if reason, must := fate(r, snap.Config, snap.Config, tool.Yes); must {
		return reason, true
	}
	if m.cfg.Authority.May(ctx, r.Who, snap) == tool.No {
		return ReasonAuthorisation, true
	}
	if time.Since(lv.began) > r.MaxRuntime+overdue {
		return ReasonMaxRuntime, true
	}
	return "", false
}

// prune removes terminal runs that were kept long enough, with their output and
// receipts, a few at a time (S77).
func (m *Manager) prune(ctx context.Context) error {
	cutoff := stamp(m.steady.Now().Add(-m.cfg.Retention))
	for {
		var n int64
		err := m.write(ctx, func(tx *store.Tx) error {
			n = 0
			old, err := listRuns(tx, `WHERE nonterminal = 0 AND finished_at <> '' AND finished_at <= $1 LIMIT 20`, cutoff)
			if err != nil {
				return err
			}
			for _, r := range old {
				deleted, err := tx.Exec(`DELETE FROM script_runs WHERE run_id = $1`, string(r.ID))
				if err != nil {
					return wrap(r.ID, err)
				}
				if err := m.forgetQuestions(tx, r.ID); err != nil {
					return err
				}
				n += deleted
			}
			return nil
		})
		if err != nil || n == 0 {
			return err
		}
		m.reached(step.RunsPruned)
		if ctx.Err() != nil {
			return nil
		}
	}
}
