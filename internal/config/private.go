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

func (d *decoder) private(n *node, agent string) *Private {
	if n == nil {
		return nil
	}
	s := d.section(n, "agents.*.private")
	p := &Private{Per: ScopeUserAgent, Root: agent + "_data"}
	if v := s.require("per"); v != nil {
		p.Per = Scope(d.choice(v, string(ScopeUserAgent), string(ScopeUser), string(ScopeUserAgent)))
	}
	if v := s.get("root"); v != nil {
		if root := d.text(v); v.tag == "!!str" && d.relativePath(v, root) {
			p.Root = path.Clean(root)
			if first, _, _ := strings.Cut(p.Root, "/"); slices.Contains(takenRoots, first) {
				d.fail(v, "the folder %s is the runtime's own; choose another name", first)
			}
		}
	}
	s.unheeded("template_dir", "context_files", "knowledge")
	s.done()
	return p
}
