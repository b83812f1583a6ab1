package script

import "mindroom/internal/worker"

// WrapBackendForTest puts something between the manager and its backend. It is
// for before the first launch.
func (m *Manager) WrapBackendForTest(wrap func(worker.Backend) worker.Backend) {
	m.cfg.Backend = wrap(m.cfg.Backend)
}
