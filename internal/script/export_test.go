package script

import (
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
