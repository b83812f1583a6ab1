package runtime

import (
	"path/filepath"
	"strings"
	"testing"

	"mindroom/internal/config"
	"mindroom/internal/identity"
)

// Two people never share a private agent's folder, and no id leads out of it;
// everybody shares that of any other agent (spec/runtime.md 2.3).
func TestWorkspaces(t *testing.T) {
	t.Parallel()
	const storage = "/var/lib/mindroom"
	private := func(per config.Scope) *config.Agent {
		return &config.Agent{Private: &config.Private{Per: per, Root: "data/own"}}
	}
	snap := &config.Snapshot{Config: &config.Config{Agents: map[string]*config.Agent{
		"shared": {}, "mine": private(config.ScopeUser), "ours": private(config.ScopeUser), "diary": private(config.ScopeUserAgent),
	}}}
	find := Workspace(storage)
	at := func(agent, requester string) string {
		return find(snap, identity.InThread(agent, requester, "!r:x", "$t"))
	}
	people := []string{"@ann:x", "@an_n:x", "@an/n:x", "@../../ann:x", "@an=n:x", "@ann:x/..", "@ann:x/../../../../agents/shared/workspace:y", "@:x", "@..:..", "@ANN:x"}
	taken := map[string]string{}
	for _, agent := range []string{"mine", "ours", "diary"} {
		for _, person := range people {
			path := at(agent, person)
			if other, both := taken[path]; both {
				t.Errorf("%s of %s is that of %s: %s", agent, person, other, path)
			}
			taken[path] = agent + " of " + person
			rel, err := filepath.Rel(filepath.Join(storage, "private_instances"), path)
			if err != nil || !filepath.IsLocal(rel) || strings.Count(rel, "/") != 4 || !strings.HasSuffix(rel, "/"+agent+"/data/own/workspace") {
				t.Errorf("%s of %s lies in %s", agent, person, path)
			}
			if again := at(agent, person); again != path {
				t.Errorf("%s of %s moves from %s to %s", agent, person, path, again)
			}
		}
	}
	if a, b := at("shared", people[0]), at("shared", people[1]); a != b || a != filepath.Join(storage, "agents", "shared", "workspace") {
		t.Errorf("a shared agent works in %s and %s", a, b)
	}
}
