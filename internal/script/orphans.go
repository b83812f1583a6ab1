package script

import (
	"time"

	"mindroom/internal/clock"
	"mindroom/internal/identity"
	"mindroom/internal/store"
	"mindroom/internal/tool"
)

// orphaned is how a pending call ends that no executor owns any more: what had
// begun is indeterminate, what only waited is failed, because it provably never
// ran (S70, S76).
func orphaned(begun bool) tool.Outcome {
	if begun {
		return tool.Indeterminate("The runtime lost it while it ran.")
	}
	return tool.Failed(&tool.Fault{Kind: tool.FaultUnavailable, Retryable: true, Message: "the runtime ended before the call began; it never ran"})
}

// settleOrphans ends every pending call of a run, each with its audit record.
func (m *Manager) settleOrphans(tx *store.Tx, r *Run, now time.Time) error {
	pending, err := pendingCalls(tx, r.ID)
	if err != nil {
		return wrap(r.ID, err)
	}
	for _, c := range pending {
		if err := m.settleCall(tx, r, *c, now); err != nil {
			return wrap(r.ID, err)
		}
	}
	return nil
}

// settleOrphan ends one pending call of a run; one that has ended stays as it is.
func (m *Manager) settleOrphan(tx *store.Tx, r *Run, id string, now time.Time) error {
	c, err := getCall(tx, r.ID, id)
	if err != nil || c == nil || c.terminal() {
		return err
	}
	return m.settleCall(tx, r, *c, now)
}

func (m *Manager) settleCall(tx *store.Tx, r *Run, c receipt, now time.Time) error {
	out := orphaned(c.Begun)
	did, err := endCall(tx, r.ID, c.ID, out, now)
	if err != nil || !did {
		return err
	}
	made, err := clock.ParseStamp(c.createdText)
	if err != nil {
		return err
	}
	return m.cfg.Room.Audit.Record(tx, tool.AuditEntry{
		Call:    tool.Call{Ref: tool.Ref{Door: tool.DoorScript, Owner: string(r.ID), ID: c.ID}, Name: c.Name, Who: r.Who, Depth: r.Depth},
		Outcome: out, Began: c.Begun, At: made, Duration: max(now.Sub(made), 0), Digest: c.Digest,
	})
}

func pendingCalls(q store.Queryer, run identity.RunID) (pending []*receipt, err error) {
	err = store.Each(q, func(rows *store.Rows) error {
		r, err := scanCall(run, rows.Scan)
		pending = append(pending, r)
		return err
	}, `SELECT `+callColumns+` FROM script_calls WHERE run_id = $1 AND state = 'pending' ORDER BY created_at, call_id`, string(run))
	return pending, err
}
