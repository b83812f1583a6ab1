package script

import (
	"context"
	"time"

	"mindroom/internal/config"
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
		m.Pass(ctx)
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		case <-m.poke:
		}
	}
}

// Pass is one round of Maintain. A fault of one run does not stop the others.
func (m *Manager) Pass(ctx context.Context) {
	if err := m.Recover(ctx); err != nil {
		m.log.Error("recovery is pending", "error", err)
		return
	}
	for _, lv := range m.all() {
		if ctx.Err() != nil {
			return
		}
		if err := m.reconcile(ctx, lv); err != nil {
			m.log.Warn("a run could not be reconciled; it is tried again", "run", lv.run.ID, "error", err)
		}
	}
	if err := m.prune(ctx); err != nil {
		m.log.Warn("terminal runs could not be pruned", "error", err)
	}
}

// reconcile ends one run if it must not go on, and takes up an end that was
// asked for but not confirmed.
func (m *Manager) reconcile(ctx context.Context, lv *live) error {
	reason, must := m.verdict(ctx, lv)
	if must {
		if err := m.revoke(ctx, lv, reason, ""); err != nil {
			return err
		}
	}
	// Its end may have been seen when it could not be stored.
	_, ended := m.cfg.Backend.Exit(lv.run.ID)
	due := ended || lv.revoked.Load() || lv.doomed.Load() != nil
	if !due || !lv.mu.TryLock() {
		// Running well, or a launch or a cancellation is under way.
		return nil
	}
	defer lv.mu.Unlock()
	_, err := m.settle(ctx, lv, true)
	return err
}

// verdict decides whether a run has to end, and why. What cannot be told now
// ends nothing.
func (m *Manager) verdict(ctx context.Context, lv *live) (Reason, bool) {
	r := lv.run
	snap := m.cfg.Snapshots.Current()
	if _, ok := snap.Config.Agents[r.Who.Agent]; !ok {
		return ReasonAgentRemoved, true
	}
	if !hasScriptTool(snap, r.Who.Agent) {
		return ReasonToolRemoved, true
	}
	if m.cfg.Authority.May(ctx, r.Who, snap) == tool.No {
		return ReasonAuthorisation, true
	}
	if time.Since(lv.began) > r.MaxRuntime+overdue {
		return ReasonMaxRuntime, true
	}
	return "", false
}

func hasScriptTool(snap *config.Snapshot, agent string) bool {
	for _, t := range snap.Config.EffectiveTools(agent) {
		if t.Name == "script" {
			return true
		}
	}
	return false
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
