package config

import (
	"strings"
	"testing"
)

// An agent with the memory toolkit and no memory is told, once for each; mem0,
// which is kept in files, is told where it is written.
func TestMemoryWarnings(t *testing.T) {
	t.Parallel()
	const nothing, mem0 = "offers nothing while the agent keeps no memory", "mem0 is not supported yet"
	for name, c := range map[string]struct{ agent, root, want string }{
		"none":          {"tools: [memory]", "", nothing},
		"by a default":  {"tools: []", "defaults: {tools: [memory]}\n", nothing},
		"file":          {"tools: [memory], memory_backend: file", "", ""},
		"file for all":  {"tools: [memory]", "memory: {backend: file}\n", ""},
		"none for one":  {"tools: [memory], memory_backend: none", "memory: file\n", nothing},
		"mem0":          {"tools: [memory], memory_backend: mem0", "", mem0},
		"mem0 for all":  {"tools: [memory]", "memory: {backend: mem0}\n", mem0},
		"another agent": {"tools: [shell]", "", ""},
	} {
		text := "models: {default: {provider: scripted, id: demo}}\nauthorization: {default_room_access: true}\n" +
			"agents: {watcher: {display_name: W, " + c.agent + "}}\n" + c.root
		_, warnings := mustParse(t, toolkits().with("memory"), text)
		if len(warnings) > 1 || (len(warnings) == 1) != (c.want != "") || c.want != "" && !strings.Contains(warnings[0].Message, c.want) {
			t.Errorf("%s: %v", name, warnings)
		}
	}
}
