package config

import (
	"path"
	"slices"
	"strings"
)

// Private makes an agent keep one state for each requester.
type Private struct {
	Per  Scope  // ScopeUser or ScopeUserAgent
	Root string // folder below the requester's instance, relative and clean; default <agent>_data
}

// Isolation is what keeps an agent's requesters apart, in words that are compared
// and never parsed: under the same words a requester has the same folder and state
// as before (S16). Empty for an agent that is not configured.
func (c *Config) Isolation(agent string) string {
	a, ok := c.Agents[agent]
	switch {
	case !ok:
		return ""
	case a.Private == nil:
		return "shared"
	}
	return strings.Join([]string{"private", string(a.Private.Per), a.Private.Root}, " ")
}

// takenRoots are folders of an instance that the runtime itself uses.
var takenRoots = []string{"sessions", "learning", "knowledge_db", "chroma", "culture"}

func (d *decoder) private(agent member) *Private {
	if agent.get("private") == nil {
		return nil
	}
	s := agent.sub("private")
	p := &Private{Per: Scope(s.text("per")), Root: agent.entry.key + "_data"}
	if v := s.get("root"); v != nil {
		p.Root = path.Clean(v.text)
		if first, _, _ := strings.Cut(p.Root, "/"); slices.Contains(takenRoots, first) {
			d.fail(v, "the folder %s is the runtime's own; choose another name", first)
		}
	}
	return p
}
