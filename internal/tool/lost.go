package tool

import (
	"slices"

	"mindroom/internal/config"
)

// Lost reports whether the configuration takes a function from an agent: its
// toolkit is not listed any more, or the entry leaves this function out (S14). It
// is false where that cannot be told: the agent is gone, which ends more than its
// calls; the toolkit could not be built; or its functions come and go with a
// server that may only be away.
func (r *Registry) Lost(snap *config.Snapshot, agent string, n Name) bool {
	surface, err := r.Surface(snap, agent)
	if err != nil || surface.Lookup(n) != nil {
		return false
	}
	if !slices.Contains(surface.Toolkits(), n.Toolkit) {
		return true
	}
	for _, entry := range snap.Config.EffectiveTools(agent) {
		if entry.Name == n.Toolkit {
			return !offers(entry, n.Function)
		}
	}
	return false
}
