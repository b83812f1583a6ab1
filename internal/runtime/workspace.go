package runtime

import (
	"path/filepath"

	"mindroom/internal/config"
	"mindroom/internal/identity"
)

// Workspace finds an agent's folder below the storage for a requester. Private agents have one for
// each requester (or requester and agent), every other agent one for all.
func Workspace(storage string) func(*config.Snapshot, identity.Execution) string {
	return func(snap *config.Snapshot, who identity.Execution) string {
		a, ok := snap.Config.Agents[who.Agent]
		if !ok || a.Private == nil {
			return filepath.Join(storage, "agents", who.Agent, "workspace")
		}
		key := identity.KeyFor(identity.Scope(a.Private.Per), who)
		return filepath.Join(storage, "private_instances", key.Dir(), who.Agent, a.Private.Root, "workspace")
	}
}
