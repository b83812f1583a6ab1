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

func (s *section) scope(key string) Scope {
	return Scope(s.choice(key, "", string(ScopeShared), string(ScopeUser), string(ScopeUserAgent)))
}

func (s *section) workerTools(key string) WorkerTools {
	v := s.get(key)
	if v == nil {
		return WorkerTools{}
	}
	return WorkerTools{Explicit: true, Names: s.d.names(v, s.d.toolName)}
}

// toolName refuses a name the catalog does not have.
func (d *decoder) toolName(n *node) {
	if _, known := d.catalog.Fields(n.text); !known {
		d.fail(n, "unknown tool %q%s", clip(n.text), meant(n.text, d.toolNames()))
	}
}

func (d *decoder) toolNames() []string { return slices.Sorted(slices.Values(d.catalog.Names())) }
