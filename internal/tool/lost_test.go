package tool

import (
	"errors"
	"testing"

	"mindroom/internal/config"
)

// What an agent has lost is told apart from what is only away.
func TestLost(t *testing.T) {
	t.Parallel()
	kit := func(name string, err error) Toolkit {
		return Toolkit{Name: name, Build: func(Env) ([]Function, error) {
			return []Function{{Name: Name{Function: "act"}}, {Name: Name{Function: "look"}}}, err
		}}
	}
	r, err := NewRegistry(kit("kit", nil), kit("broken", errors.New("no key")))
	if err != nil {
		t.Fatal(err)
	}
	r.Bring(&moving{})
	number := uint64(0)
	for name, c := range map[string]struct {
		tools string
		of    Name
		lost  bool
	}{
		"it is there":                 {"[kit]", Name{"kit", "act"}, false},
		"the toolkit is not listed":   {"[broken]", Name{"kit", "act"}, true},
		"the function is left out":    {"[{kit: {exclude_tools: [act]}}]", Name{"kit", "act"}, true},
		"another is left out":         {"[{kit: {exclude_tools: [look]}}]", Name{"kit", "act"}, false},
		"it is not among the few":     {"[{kit: {include_tools: [look]}}]", Name{"kit", "act"}, true},
		"the toolkit cannot be built": {"[broken]", Name{"broken", "act"}, false},
		"the server is away":          {"[mcp_files]", Name{"mcp_files", "files_read"}, false},
		"the server is not listed":    {"[kit]", Name{"mcp_files", "files_read"}, true},
	} {
		cfg, _, err := config.Parse("config.yaml", []byte(`models: {default: {provider: scripted, id: demo}}
mcp_servers: {files: {command: x}}
agents: {watcher: {display_name: Watcher, tools: `+c.tools+`}}
authorization: {default_room_access: true}
`), r, config.Env{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		number++
		snap := &config.Snapshot{Number: number, Config: cfg}
		if got := r.Lost(snap, "watcher", c.of); got != c.lost {
			t.Errorf("%s: %v", name, got)
		}
		if r.Lost(snap, "nobody", c.of) {
			t.Errorf("%s: of an agent that is gone", name)
		}
	}
}
