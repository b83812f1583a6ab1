package tool

import (
	"fmt"
	"sort"
	"sync"

	"mindroom/internal/config"
)

// Toolkit is a named set of functions as an agent's configuration names it.
type Toolkit struct {
	// Name is the configuration key.
	Name string
	// Purpose is one line for listings.
	Purpose string
	// Fields are the settings an agent may give inline.
	Fields []config.Field
	// Build makes the functions for one agent's settings. It is called once per
	// configuration snapshot and agent, has no effect outside the values it
	// returns, and keeps no identity: that arrives with each Invocation.
	Build func(Env) ([]Function, error)
}

// Env is what a toolkit is built from.
type Env struct {
	Agent    string
	Settings config.Settings
	Snapshot *config.Snapshot
}

// Registry holds every toolkit this runtime knows. It is a value that the
// composition root fills once; afterwards it only caches.
type Registry struct {
	toolkits map[string]Toolkit
	names    []string

	brought Brought

	mu       sync.Mutex
	snapshot uint64
	surfaces map[string]*Surface
}

// NewRegistry collects toolkits. A name given twice is an error.
func NewRegistry(toolkits ...Toolkit) (*Registry, error) {
	r := &Registry{toolkits: map[string]Toolkit{}, surfaces: map[string]*Surface{}}
	for _, t := range toolkits {
		if _, twice := r.toolkits[t.Name]; twice {
			return nil, fmt.Errorf("toolkit %q is registered twice", t.Name)
		}
		r.toolkits[t.Name] = t
		if t.Name != config.OwnToolkit { // an agent has it or not, and never by its name
			r.names = append(r.names, t.Name)
		}
	}
	sort.Strings(r.names)
	return r, nil
}

// Brought are toolkits that a configuration brings with it and whose functions come
// and go while it is in force. Its methods may be called by any goroutine and must
// be cheap: every call asks them.
type Brought interface {
	// Toolkit finds the one called name under snap; false when snap brings none.
	// Its Build gives the functions of the moment.
	Toolkit(snap *config.Snapshot, name string) (Toolkit, bool)
	// Version changes, and never back, with what the toolkit called name exposes.
	Version(name string) uint64
}

// Bring adds the toolkits of b. It is called before the first Surface. A name in
// NewRegistry wins.
func (r *Registry) Bring(b Brought) { r.brought = b }

// find is the toolkit called name under snap; brought when its functions may change
// under the same snapshot.
func (r *Registry) find(snap *config.Snapshot, name string) (t Toolkit, brought, ok bool) {
	if t, ok = r.toolkits[name]; ok || r.brought == nil {
		return t, false, ok
	}
	t, ok = r.brought.Toolkit(snap, name)
	return t, ok, ok
}

// stale reports whether a brought toolkit of s exposes something else by now.
func (r *Registry) stale(s *Surface) bool {
	for name, version := range s.versions {
		if r.brought.Version(name) != version {
			return true
		}
	}
	return false
}

var _ config.Catalog = (*Registry)(nil)

// Names lists the toolkits that a configuration may name, sorted.
func (r *Registry) Names() []string { return append([]string(nil), r.names...) }

// Fields are the settings of one toolkit; false when there is no such toolkit.
func (r *Registry) Fields(toolkit string) ([]config.Field, bool) {
	t, ok := r.toolkits[toolkit]
	return t.Fields, ok
}

// Purpose is a toolkit's line for listings; empty when unknown.
func (r *Registry) Purpose(toolkit string) string { return r.toolkits[toolkit].Purpose }

// Surface is the agent's live tool surface under one snapshot. It is built once
// per snapshot and agent, so a call resolves it without building anything; again
// only when a toolkit that the configuration brought changed. An agent that is not in the configuration has none.
func (r *Registry) Surface(snap *config.Snapshot, agent string) (*Surface, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if snap.Number > r.snapshot {
		// Older surfaces stay alive as long as a turn holds them; the cache is
		// only for the newest configuration.
		r.snapshot, r.surfaces = snap.Number, map[string]*Surface{}
	}
	if s, ok := r.surfaces[agent]; ok && snap.Number == r.snapshot && !r.stale(s) {
		return s, nil
	}
	s, err := r.build(snap, agent)
	if err != nil {
		return nil, err
	}
	if snap.Number == r.snapshot {
		r.surfaces[agent] = s
	}
	return s, nil
}
