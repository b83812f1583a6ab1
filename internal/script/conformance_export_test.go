package script

import (
	"mindroom/internal/tool"
	"mindroom/internal/worker"
)

// WrapBackendForTest puts something between the manager and its backend. It is
// for before the first launch.
func (m *Manager) WrapBackendForTest(wrap func(worker.Backend) worker.Backend) {
	m.cfg.Backend = wrap(m.cfg.Backend)
}

// UseRegistryForTest makes the manager and its room know other toolkits. It is
// for before the first launch.
func (m *Manager) UseRegistryForTest(r *tool.Registry) {
	m.cfg.Registry, m.cfg.Room.Registry = r, r
}
