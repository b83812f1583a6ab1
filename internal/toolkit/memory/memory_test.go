package memory

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"mindroom/internal/canonical"
	"mindroom/internal/config"
	"mindroom/internal/tool"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func noon() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }

// bench calls the toolkit as an agent with file memory has it.
type bench struct {
	t       *testing.T
	dir     string
	surface *tool.Surface
}

func newBench(t *testing.T, backend string) *bench {
	t.Helper()
	registry, err := tool.NewRegistry(New(noon))
	if err != nil {
		t.Fatal(err)
	}
	text := "models: {default: {provider: scripted, id: x}}\nagents: {a: {display_name: A, tools: [memory], memory_backend: " + backend + "}}\n"
	c, _, err := config.Parse("/config.yaml", []byte(text), registry, config.Env{})
	if err != nil {
		t.Fatal(err)
	}
	surface, err := registry.Surface(config.NewHolder(c).Current(), "a")
	if err != nil || surface.Problems != nil {
		t.Fatal(err, surface.Problems)
	}
	return &bench{t, filepath.Join(t.TempDir(), "workspace"), surface}
}

func (b *bench) call(function string, args map[string]any) tool.Outcome {
	b.t.Helper()
	doc, err := canonical.FromValue(args)
	if err != nil {
		b.t.Fatal(err)
	}
	f := b.surface.Bare(function)
	if f == nil {
		b.t.Fatalf("there is no function %s", function)
	}
	return f.Body.Run(b.t.Context(), tool.Invocation{Call: tool.Call{Name: f.Name, Args: doc}, Workspace: b.dir})
}

func (b *bench) says(function string, args map[string]any) string {
	b.t.Helper()
	out := b.call(function, args)
	var text string
	if out.State != tool.StateCompleted || json.Unmarshal(out.Value, &text) != nil {
		b.t.Fatalf("%s(%v): %+v %s", function, args, out, out.Value)
	}
	return text
}

func (b *bench) put(name, text string) {
	b.t.Helper()
	path := filepath.Join(b.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		b.t.Fatal(err)
	}
}

func TestTheSixFunctions(t *testing.T) {
	t.Parallel()
	b := newBench(t, "file")
	if got := b.says("list_memories", nil); got != "Nothing is remembered yet." {
		t.Errorf("an empty list: %q", got)
	}
	said := b.says("add_memory", map[string]any{"content": "Ann likes tea."})
	m := regexp.MustCompile(`^Remembered in MEMORY\.md: (\[id=(m_20260301120000_[0-9a-f]{8})\] Ann likes tea\.)$`).FindStringSubmatch(said)
	if m == nil {
		t.Fatalf("add: %q", said)
	}
	b.put("memory/2026-02-01.md", "Ben likes coffee.\n")
	for _, c := range []struct {
		function string
		args     map[string]any
		want     string
	}{
		{"get_memory", map[string]any{"id": m[2]}, "In MEMORY.md: " + m[1]},
		{"list_memories", nil, m[1] + "\n[id=file:memory/2026-02-01.md:1] Ben likes coffee."},
		{"list_memories", map[string]any{"limit": 1}, m[1] + "\n(1 more; search_memories finds them by their words)"},
		{"search_memories", map[string]any{"query": "COFFEE"}, "[id=file:memory/2026-02-01.md:1] Ben likes coffee."},
		{"search_memories", map[string]any{"query": "milk"}, "Nothing remembered has any of these words."},
		{"update_memory", map[string]any{"id": m[2], "content": "Ann likes milk."}, "Changed in MEMORY.md: [id=" + m[2] + "] Ann likes milk."},
		{"delete_memory", map[string]any{"id": m[2]}, "Deleted from MEMORY.md: [id=" + m[2] + "] Ann likes milk."},
		{"delete_memory", map[string]any{"id": "file:memory/2026-02-01.md:1"}, "Deleted from memory/2026-02-01.md: [id=file:memory/2026-02-01.md:1] Ben likes coffee."},
		{"list_memories", nil, "Nothing is remembered yet."},
	} {
		if got := b.says(c.function, c.args); got != c.want {
			t.Errorf("%s(%v): %q, want %q", c.function, c.args, got, c.want)
		}
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	b := newBench(t, "file")
	for _, c := range []struct {
		function string
		args     map[string]any
		kind     tool.FaultKind
	}{
		{"add_memory", map[string]any{"content": " \n "}, tool.FaultArguments},
		{"add_memory", map[string]any{"content": strings.Repeat("x", maxShown+1)}, tool.FaultArguments},
		{"get_memory", map[string]any{"id": "file:memory/../../x.md:1"}, tool.FaultTool},
		{"update_memory", map[string]any{"id": "none", "content": "x"}, tool.FaultTool},
		{"delete_memory", map[string]any{"id": ""}, tool.FaultTool},
		{"search_memories", map[string]any{"query": "x", "limit": 0}, tool.FaultArguments},
		{"search_memories", map[string]any{"query": "x", "limit": 51}, tool.FaultArguments},
		{"list_memories", map[string]any{"limit": 201}, tool.FaultArguments},
	} {
		out := b.call(c.function, c.args)
		if out.State != tool.StateFailed || out.Fault.Kind != c.kind || strings.Contains(out.Fault.Message, b.dir) {
			t.Errorf("%s(%.60v): %+v", c.function, c.args, out)
		}
	}
	b.dir = ""
	if out := b.call("add_memory", map[string]any{"content": "x"}); out.State != tool.StateFailed {
		t.Errorf("without a workspace: %+v", out)
	}
}

// A list is bounded in bytes, whatever the files hold, and says what it left out.
func TestListsAreBounded(t *testing.T) {
	t.Parallel()
	b := newBench(t, "file")
	for i := range 20 {
		b.put(fmt.Sprintf("memory/%02d.md", i), strings.Repeat("ä", 100_000)+"\n")
		b.put(fmt.Sprintf("memory/x%02d.md", i), "\x00")
	}
	got := b.says("list_memories", nil)
	if len(got) > maxResult+2000 || !strings.Contains(got, " more; search_memories") || !strings.Contains(got, "(Not read: 10 more files)") || !strings.Contains(got, "ä…\n") {
		t.Errorf("%d bytes: …%s", len(got), got[max(0, len(got)-1500):])
	}
}

// Without file memory the toolkit is there and offers nothing.
func TestNoMemoryNoFunctions(t *testing.T) {
	t.Parallel()
	if n := len(newBench(t, "none").surface.Functions()); n != 0 {
		t.Errorf("it offers %d functions", n)
	}
	if n := len(newBench(t, "mem0").surface.Functions()); n != 6 {
		t.Errorf("with mem0, kept in files, it offers %d functions", n)
	}
}
