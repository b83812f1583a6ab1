package script

// HashForTest is the stored form of a capability.
func HashForTest(token string) string { return string(hashToken(token)) }

// BreakPythonForTest makes later launches use another interpreter.
func (m *Manager) BreakPythonForTest(path string) { m.cfg.Python = path }
