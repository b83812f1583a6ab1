package script

import (
	"context"
	"fmt"
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
	err = m.write(ctx, func(tx *store.Tx) error {
		for _, r := range runs {
			if _, err := revoke(tx, r.ID, ReasonRestart, "", m.cfg.Now.Now()); err != nil {
				return err
			}
			if err := m.withdraw(tx, r.ID, ReasonRestart); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
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

// unsettled names the inherited runs that keep admission closed.
func (m *Manager) unsettled() string {
	var ids []string
	for _, lv := range m.all() {
		if lv.token == "" {
			ids = append(ids, string(lv.run.ID))
		}
	}
	return strings.Join(ids, ", ")
}

// Admitting reports whether launches and gateway calls are accepted.
func (m *Manager) Admitting() bool { return m.admitted.Load() && !m.closing.Load() }
