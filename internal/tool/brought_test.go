package tool

import (
	"testing"

	"mindroom/internal/config"
)

// moving is a brought toolkit whose functions the test changes.
type moving struct {
	version   uint64
	built     int
	functions []Function
}

func (m *moving) Toolkit(_ *config.Snapshot, name string) (Toolkit, bool) {
	return Toolkit{Name: name, Build: func(Env) ([]Function, error) { m.built++; return m.functions, nil }}, name == "mcp_files"
}

func (m *moving) Version(string) uint64 { return m.version }

// A surface is built again when a toolkit the configuration brought changed, and not before.
func TestBroughtToolkitChanges(t *testing.T) {
	t.Parallel()
	r, err := NewRegistry()
	if err != nil {
		t.Fatal(err)
	}
	m := &moving{}
	r.Bring(m)
	cfg, _, err := config.Parse("config.yaml", []byte(`models: {default: {provider: scripted, id: demo}}
mcp_servers: {files: {command: x}, other: {command: x}}
agents: {watcher: {display_name: Watcher, tools: [mcp_files]}}
authorization: {default_room_access: true}
`), r, config.Env{})
	if err != nil {
		t.Fatal(err)
	}
	snap := &config.Snapshot{Number: 1, Config: cfg}
	surface := func() *Surface {
		s, err := r.Surface(snap, "watcher")
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	if s := surface(); len(s.Toolkits()) != 1 || len(s.Functions()) != 0 {
		t.Fatalf("before: %v, %v", s.Toolkits(), s.Functions())
	}
	surface()
	if m.built != 1 {
		t.Fatalf("built %d times without a change", m.built)
	}
	m.functions, m.version = []Function{{Name: Name{Function: "files_read"}, Depends: "one"}}, 1
	f := surface().Lookup(Name{Toolkit: "mcp_files", Function: "files_read"})
	if f == nil {
		t.Fatal("the new function is not there")
	}
	m.functions, m.version = []Function{{Name: Name{Function: "files_read"}, Depends: "two"}}, 2
	if g := surface().Lookup(f.Name); g.Depends == f.Depends {
		t.Error("a call planned under the old schema would run under the new one")
	}
}
