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
