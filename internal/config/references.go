package config

import (
	"maps"
	"slices"
)

// reference is a name in the file that something else in the file must carry. It is checked last, when all names are known.
type reference struct {
	kind referenceKind
	pos  Pos
	path string
	name string
}

type referenceKind int

const (
	refModel       referenceKind = iota
	refRouterModel               // the router's model, which nobody wrote
	refWindow                    // a model with a context_window
	refAgent
	refEntity // an agent, a team or the router
	refRoom   // a managed room
)

// refer notes that the text at n names something.
func (d *decoder) refer(kind referenceKind, n *node) {
	d.references = append(d.references, reference{kind, n.pos, n.path, n.text})
}

// resolve reports every reference to a name that does not exist.
func (d *decoder) resolve(c *Config) {
	models := slices.Sorted(maps.Keys(c.Models))
	entities := slices.Concat(c.agentOrder, c.teams, []string{RouterName})
	for _, r := range d.references {
		var names []string
		var what, add string
		switch r.kind {
		case refModel, refWindow:
			names, what, add = models, "model", "; add it under models"
		case refRouterModel:
			names, what, add = models, "model", "; add it under models, or name another as router.model"
		case refAgent:
			names, what, add = c.agentOrder, "agent", "; add it under agents"
		case refEntity:
			names, what, add = entities, "agent or team", "; add it under agents"
		case refRoom:
			names, what, add = c.managedRooms, "room", "; add it under rooms, or to the rooms of an agent"
		}
		if slices.Contains(names, r.name) {
			if r.kind == refWindow && c.Models[r.name].ContextWindow == 0 {
				d.failAt(r.pos, r.path, "the model %s needs a context_window to be used here", clip(r.name))
			}
			continue
		}
		if len(names) > 0 {
			add = meant(r.name, names)
		}
		d.failAt(r.pos, r.path, "no %s is called %q%s", what, clip(r.name), add)
	}
}
