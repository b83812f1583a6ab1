package tool

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strings"

	"mindroom/internal/config"
	"mindroom/internal/model"
)

// Surface is what one agent may call under one configuration snapshot.
type Surface struct {
	// Agent is the agent's configured name.
	Agent string
	// Problems are toolkits that could not be built, each a *BuildError, for doctor and
	// the log.
	Problems []error

	toolkits  []string
	versions  map[string]uint64 // of the toolkits the configuration brought
	functions []*Function
	byName    map[Name]*Function
	bare      map[string]*Function
	tools     []model.Tool
	deferred  map[string]bool // toolkits the model gets only when loaded: is it at the start
}

// BuildError says that a toolkit of an agent could not be built from its settings.
type BuildError struct {
	Toolkit, Agent string
	Err            error
}

func (e *BuildError) Error() string {
	return fmt.Sprintf("toolkit %s of agent %s: %v", e.Toolkit, e.Agent, e.Err)
}

// Unwrap is what the toolkit said.
func (e *BuildError) Unwrap() error { return e.Err }

// Toolkits lists the configured toolkits in order, also those that expose no
// function at the moment.
func (s *Surface) Toolkits() []string { return s.toolkits }

// Functions lists every function in order.
func (s *Surface) Functions() []*Function { return s.functions }

// Lookup finds a function by its full name; nil when there is none.
func (s *Surface) Lookup(n Name) *Function { return s.byName[n] }

// Bare finds the function a model means by an unqualified name; nil when there
// is none, or its toolkit is not loaded. Where two toolkits share a name the first in order has it.
func (s *Surface) Bare(function string) *Function { return s.bare[function] }

// Tools are the descriptors a model gets, made once per snapshot.
func (s *Surface) Tools() []model.Tool { return s.tools }

// Owners lists the toolkits that expose a bare function name.
func (s *Surface) Owners(function string) []string {
	var owners []string
	for _, f := range s.functions {
		if f.Name.Function == function {
			owners = append(owners, f.Name.Toolkit)
		}
	}
	return owners
}

// Nearest lists up to three names that resemble a missing one.
func (s *Surface) Nearest(function string) []string {
	type scored struct {
		name  string
		score int
	}
	var all []scored
	for _, f := range s.functions {
		if s.bare[f.Name.Function] != f {
			continue // the name is there already, from another toolkit
		}
		if d := distance(strings.ToLower(function), f.Name.Function); d <= 1+len(function)/2 {
			all = append(all, scored{f.Name.Function, d})
		}
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].score < all[j].score })
	var names []string
	for i := 0; i < len(all) && i < 3; i++ {
		names = append(names, all[i].name)
	}
	return names
}

func (r *Registry) build(snap *config.Snapshot, agent string) (*Surface, error) {
	if _, ok := snap.Config.Agents[agent]; !ok {
		return nil, fmt.Errorf("agent %q is not in the configuration", agent)
	}
	s := &Surface{Agent: agent, byName: map[Name]*Function{}, versions: map[string]uint64{}, deferred: map[string]bool{}}
	for _, entry := range snap.Config.EffectiveTools(agent) {
		t, brought, ok := r.find(snap, entry.Name)
		if !ok {
			continue
		}
		if brought {
			// Before it is built: what changes meanwhile is built once more.
			s.versions[entry.Name] = r.brought.Version(entry.Name)
		}
		s.toolkits = append(s.toolkits, entry.Name)
		if entry.Defer {
			s.deferred[entry.Name] = entry.Initial
		}
		functions, err := t.Build(Env{Agent: agent, Settings: entry.Settings, Snapshot: snap})
		if err != nil {
			s.Problems = append(s.Problems, &BuildError{Toolkit: entry.Name, Agent: agent, Err: err})
			continue
		}
		depends := dependsOn(snap.Config, agent, entry)
		for i := range functions {
			f := functions[i]
			f.Name.Toolkit = entry.Name
			f.Depends = depends + f.Depends
			if !offers(entry, f.Name.Function) {
				continue
			}
			s.functions = append(s.functions, &f)
			s.byName[f.Name] = &f
		}
	}
	s.show(nil)
	return s, nil
}

// offers applies an entry's include_tools and exclude_tools.
func offers(entry config.ToolEntry, function string) bool {
	return !slices.Contains(entry.Exclude, function) && (entry.Include == nil || slices.Contains(entry.Include, function))
}

// dependsOn is the digest of what a function was built from and of whose folder it
// works in: only that is compared when a call would begin, so an unrelated reload
// refuses nothing, and an approval for one folder is none for another (S16).
func dependsOn(c *config.Config, agent string, entry config.ToolEntry) string {
	h := sha256.New()
	raw, err := json.Marshal(entry.Settings.Values())
	if err != nil {
		// Settings hold plain values only; should one ever not be writable, the
		// digest must still differ from every other.
		raw = []byte(fmt.Sprintf("%#v", entry.Settings))
	}
	fmt.Fprintf(h, "%s\n%s\n%s", agent, entry.Name, raw)
	if c.Agents[agent].Private != nil { // questions of shared agents outlive an upgrade from before this was part of it
		fmt.Fprintf(h, "\n%s", c.Isolation(agent))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// distance is the number of single-character edits between two names.
func distance(a, b string) int {
	prev := make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := prev[0]
		prev[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			diagonal, prev[j] = prev[j], min(prev[j]+1, prev[j-1]+1, diagonal+cost)
		}
	}
	return prev[len(b)]
}
