package script

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"mindroom/internal/lifecycle/step"
	"mindroom/internal/store"
)

// Recover settles what an earlier process left behind: every nonterminal run is
// durably revoked before anything else, then its calls are settled, its
// processes are ended and proven dead, and it is interrupted (S72). Launches and
// gateway calls are admitted only when nothing is left (S63). Recover may be
// called again; it does nothing once it has succeeded.
func (m *Manager) Recover(ctx context.Context) error {
	if m.admitted.Load() || m.closing.Load() {
		return nil
	}
	inherited, err := m.inherit(ctx)
	if err != nil {
		return err
	}
	m.reached(step.RunsInherited)
	for _, lv := range inherited {
		lv.mu.Lock()
		_, err := m.settle(ctx, lv, false)
		lv.mu.Unlock()
		if err != nil {
			m.log.Error("a run of an earlier start is not settled; nothing is admitted until it is", "run", lv.run.ID, "error", err)
		}
	}
	if left := m.unsettled(); left != "" {
		return fmt.Errorf("runs of an earlier start are not settled yet: %s", left)
	}
	m.admitted.Store(true)
	return nil
}

// inherit revokes every nonterminal run that this process did not launch. If any
// mark cannot be written, none of them is touched yet.
func (m *Manager) inherit(ctx context.Context) ([]*live, error) {
	var runs []*Run
	err := m.cfg.DB.Read(ctx, func(q *store.Reader) (err error) {
		runs, err = listRuns(q, `WHERE nonterminal = 1`)
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := m.revokeInherited(ctx, runs); err != nil {
		return nil, err
	}
	var out []*live
	for _, r := range runs {
		lv := m.lookup(r.ID)
		if lv == nil {
			lv = m.track(r, "")
			m.closeCalls(lv)
		}
		out = append(out, lv)
	}
	return out, nil
}

// revokeInherited revokes the runs that may not go on, in one transaction. A run
// on this machine never may (S72).
func (m *Manager) revokeInherited(ctx context.Context, runs []*Run) error {
	return m.write(ctx, func(tx *store.Tx) error {
		for _, r := range runs {
			decision, reason := inherited{settled: r.Revoked()}.judge()
			if decision != interrupt {
				continue
			}
			if _, err := revoke(tx, r.ID, reason, "", m.cfg.Now.Now()); err != nil {
				return err
			}
			if err := m.withdraw(tx, r.ID, reason); err != nil {
				return err
			}
		}
		return nil
	})
}

// unsettled names the inherited runs that keep admission closed, each with what
// is in its way.
func (m *Manager) unsettled() string {
	var left []string
	for _, lv := range m.all() {
		if lv.token != "" {
			continue
		}
		text := string(lv.run.ID)
		if trouble := m.Trouble(lv.run.ID); trouble != nil {
			text += ", " + trouble.String()
		}
		left = append(left, text)
	}
	slices.Sort(left)
	return strings.Join(left, "; ")
}

// Admitting reports whether launches and gateway calls are accepted.
func (m *Manager) Admitting() bool { return m.admitted.Load() && !m.closing.Load() }
