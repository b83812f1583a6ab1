package script

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"mindroom/internal/config"
	"mindroom/internal/lifecycle/step"
	"mindroom/internal/store"
	"mindroom/internal/tool"
)

var _ config.Binder = (*Manager)(nil)

// fate decides whether a run may outlive a change of the configuration, and
// why not (S16, S65, S79; spec/scripts.md 6.9). may is what the authority answers
// under next.
//
//	authorization changed, and may is no definite yes | authorization_revoked
//	the agent is gone                                 | owner_agent_removed
//	what keeps its requesters apart is another        | isolation_changed
//	the agent lost its script tool                    | script_tool_removed
//	anything else: limits, allowed_tools, tools,      | –
//	prompts, models, rooms, other agents              |
//
// Limits and allowed_tools are those of the launch (S87), and what the agent has
// of tools is looked at with each call (S14).
func fate(r *Run, old, next *config.Config, may tool.Answer) (Reason, bool) {
	switch agent := r.Who.Agent; {
	case may != tool.Yes && !reflect.DeepEqual(old.Authorization, next.Authorization):
		return ReasonAuthorisation, true
	case next.Agents[agent] == nil:
		return ReasonAgentRemoved, true
	case next.Isolation(agent) != r.Isolation:
		return ReasonIsolation, true
	case !hasScriptTool(next, agent):
		return ReasonToolRemoved, true
	}
	return "", false
}

func hasScriptTool(c *config.Config, agent string) bool {
	return slices.ContainsFunc(c.EffectiveTools(agent), func(t config.ToolEntry) bool { return t.Name == "script" })
}

// Prepare agrees: a run never keeps an operator from changing the configuration.
func (m *Manager) Prepare(_, _ *config.Snapshot) error { return nil }

// Bind durably revokes the runs that may not live under next, all in one
// transaction, before next is visible to anybody (S16). Launches wait until the
// change is decided, so that none is missed.
func (m *Manager) Bind(old, next *config.Snapshot) (release func(), err error) {
	m.launching.Lock()
	ctx := context.Background()
	doomed := map[*live]Reason{}
	for _, lv := range m.all() {
		if lv.revoked.Load() {
			continue
		}
		if reason, must := fate(lv.run, old.Config, next.Config, m.cfg.Authority.May(ctx, lv.run.Who, next)); must {
			doomed[lv] = reason
		}
	}
	if err := m.revokeAll(ctx, doomed); err != nil {
		m.launching.Unlock()
		return nil, fmt.Errorf("scripts that may not go on could not be revoked: %w", err)
	}
	return m.launching.Unlock, nil
}

// Commit has the processes of revoked runs ended, at once and side by side.
func (m *Manager) Commit(_, _ *config.Snapshot) { m.Poke() }

// revokeAll revokes runs in one transaction, then closes their calls. Nothing is
// signalled.
func (m *Manager) revokeAll(ctx context.Context, doomed map[*live]Reason) error {
	if err := m.revokeTogether(ctx, doomed); err != nil {
		return err
	}
	for lv := range doomed {
		m.closeCalls(lv)
	}
	return nil
}

// revokeTogether is revokeAll without interrupting calls that began.
func (m *Manager) revokeTogether(ctx context.Context, doomed map[*live]Reason) error {
	if len(doomed) == 0 {
		return nil
	}
	err := m.write(ctx, func(tx *store.Tx) error {
		for lv, reason := range doomed {
			if _, err := revoke(tx, lv.run.ID, reason, "", m.cfg.Now.Now()); err != nil {
				return err
			}
			if err := m.withdraw(tx, lv.run.ID, reason); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for lv, reason := range doomed {
		m.fence(lv)
		m.log.Info("run revoked", "run", lv.run.ID, "reason", reason)
	}
	m.reached(step.RunRevoked)
	return nil
}
