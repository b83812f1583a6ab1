package config

import "slices"

// Scope says who shares a worker and its state.
type Scope string

// The scopes (spec: scopes and worker keys).
const (
	ScopeNone      Scope = ""           // unscoped: everyone who talks to the agent
	ScopeShared    Scope = "shared"     // everyone, per agent
	ScopeUser      Scope = "user"       // one requester, across agents
	ScopeUserAgent Scope = "user_agent" // one requester and one agent
)

// WorkerTools says which toolkits run in a worker. The zero value is the file's null: whoever decides follows the backend.
type WorkerTools struct {
	Explicit bool     // the file gives a list, which may be empty: nothing in a worker
	Names    []string // meaningful only when Explicit
}

func (s *section) workerTools() WorkerTools {
	names := s.texts("worker_tools")
	return WorkerTools{Explicit: names != nil, Names: names}
}

func (d *decoder) toolNames() []string { return slices.Sorted(slices.Values(d.catalog.Names())) }
