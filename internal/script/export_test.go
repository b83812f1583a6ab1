package script

import (
	"time"

	"mindroom/internal/identity"
	"mindroom/internal/store"
	"mindroom/internal/tool"
)

// HashForTest is the stored form of a capability.
func HashForTest(token string) string { return string(hashToken(token)) }

// BreakPythonForTest makes later launches use another interpreter.
func (m *Manager) BreakPythonForTest(path string) {
	m.cfg.Python = func() (string, error) { return path, nil }
}

// FenceForTest closes or opens admission as a pending recovery does.
func (m *Manager) FenceForTest(closed bool) { m.admitted.Store(!closed) }

// ReceiptForTest reads a receipt past the gateway, which serves none of a run
// that has ended.
func ReceiptForTest(q store.Queryer, run, call string) (tool.State, *tool.Fault, error) {
	r, err := getCall(q, identity.RunID(run), call)
	if err != nil || r == nil {
		return "", nil, err
	}
	return r.State, r.Fault, nil
}

// LeaveForTest leaves a running run as an earlier process would have.
func LeaveForTest(tx *store.Tx, who identity.Execution, handle string, ended bool) (identity.RunID, error) {
	id, now := identity.NewRunID(), time.Now()
	finished, reason := "", Reason("")
	if ended {
		finished, reason = stamp(now), ReasonShutdown
	}
	r := &Run{ID: id, Who: who, Key: identity.RunKey(who, id), Local: true, State: Starting, CreatedAt: now, MaxCallsPerMinute: 1, MaxRuntime: time.Hour}
	if err := insertRun(tx, r, string(hashToken(string(id)))); err != nil {
		return id, err
	}
	_, err := tx.Exec(`UPDATE script_runs SET state = 'running', handle = $1, finished_at = $2, cancel_at = $2, reason = $3 WHERE run_id = $4`, handle, finished, string(reason), string(id))
	return id, err
}
