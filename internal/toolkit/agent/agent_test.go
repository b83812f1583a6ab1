package agent

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"mindroom/internal/canonical"
	"mindroom/internal/config"
	"mindroom/internal/identity"
	"mindroom/internal/tool"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// bench is the toolkit of an agent x with the given keys, over real folders.
type bench struct {
	t         *testing.T
	dir       string
	workspace string
	snap      *config.Snapshot
	surface   *tool.Surface
}

// plain is a toolkit that only has a name.
func plain(name string) tool.Toolkit {
	return tool.Toolkit{Name: name, Build: func(tool.Env) ([]tool.Function, error) { return nil, nil }}
}

func newBench(t *testing.T, keys string) *bench {
	t.Helper()
	b := &bench{t: t, dir: t.TempDir()}
	b.workspace = filepath.Join(b.dir, "workspace")
	registry, err := tool.NewRegistry(New(), plain("file"), plain("shell"))
	if err != nil {
		t.Fatal(err)
	}
	text := "models: {default: {provider: scripted, id: x}}\nagents: {x: {display_name: X, " + keys + "}}\ndefaults: {tools: []}\n"
	c, _, err := config.Parse(filepath.Join(b.dir, "config.yaml"), []byte(text), registry, config.Env{})
	if err != nil {
		t.Fatal(err)
	}
	b.snap = config.NewHolder(c).Current()
	if b.surface, err = registry.Surface(b.snap, "x"); err != nil || b.surface.Problems != nil {
		t.Fatal(err, b.surface.Problems)
	}
	return b
}

func (b *bench) put(path, text string) {
	b.t.Helper()
	at := filepath.Join(b.dir, path)
	if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) call(args map[string]any) tool.Outcome {
	b.t.Helper()
	doc, err := canonical.FromValue(args)
	if err != nil {
		b.t.Fatal(err)
	}
	f := b.surface.Lookup(tool.Name{Toolkit: config.OwnToolkit, Function: ReadSkill})
	if f == nil {
		b.t.Fatal("there is no read_skill")
	}
	return f.Body.Run(b.t.Context(), tool.Invocation{Call: tool.Call{Name: f.Name, Args: doc, Who: identity.Execution{Agent: "x"}}, Snapshot: b.snap, Workspace: b.workspace})
}

func (b *bench) read(args map[string]any) page {
	b.t.Helper()
	out := b.call(args)
	var p page
	if out.State != tool.StateCompleted || json.Unmarshal(out.Value, &p) != nil {
		b.t.Fatalf("%v: %+v %s", args, out, out.Value)
	}
	return p
}

const greet = "---\nname: greet\ndescription: Greets.\n---\nSay hello.\n"

// The instructions come with the names of the other files, and where they lie for whom
// that is of use.
func TestReadSkill(t *testing.T) {
	t.Parallel()
	b := newBench(t, "skills: [greet], tools: [file], memory_backend: file")
	b.put("skills/greet/SKILL.md", greet)
	b.put("skills/greet/references/words.md", "hello")
	b.put("workspace/skills/mine/SKILL.md", strings.ReplaceAll(greet, "greet", "mine"))
	p := b.read(map[string]any{"name": "greet"})
	if p.Skill != "greet" || p.Path != "SKILL.md" || p.Text != "Say hello." || p.Next != 0 || len(p.Files) != 1 || p.Files[0] != "references/words.md" || p.Folder != "" {
		t.Errorf("it reads %+v", p)
	}
	if p = b.read(map[string]any{"name": "greet", "path": "references/words.md"}); p.Text != "hello" || p.Files != nil {
		t.Errorf("a reference reads %+v", p)
	}
	if p = b.read(map[string]any{"name": "mine"}); p.Text != "Say hello." || p.Folder != "skills/mine" {
		t.Errorf("its own reads %+v", p)
	}
	b = newBench(t, "skills: [greet], tools: [shell]")
	b.put("skills/greet/SKILL.md", greet)
	b.put("workspace/skills/mine/SKILL.md", strings.ReplaceAll(greet, "greet", "mine"))
	if p = b.read(map[string]any{"name": "greet"}); p.Folder != filepath.Join(b.dir, "skills", "greet") {
		t.Errorf("with a shell it reads %+v", p)
	}
	if out := b.call(map[string]any{"name": "mine"}); out.State != tool.StateFailed {
		t.Errorf("without a workspace of its own it reads %s", out.Value)
	}
}

// What does not fit one result is read on, whole in the end, and each result is one
// that a model gets whole.
func TestReadSkillInPages(t *testing.T) {
	t.Parallel()
	b := newBench(t, "skills: [greet]")
	b.put("skills/greet/SKILL.md", greet)
	for name, text := range map[string]string{
		"lines":   strings.Repeat("a line of words\n", 10_000),
		"one":     strings.Repeat("ä", 70_000),
		"escapes": strings.Repeat("\"\\\x01<", 30_000),
		"short":   "x",
	} {
		b.put("skills/greet/"+name+".md", text)
		var whole strings.Builder
		for offset := 0; ; {
			out := b.call(map[string]any{"name": "greet", "path": name + ".md", "offset": offset})
			var p page
			if out.State != tool.StateCompleted || json.Unmarshal(out.Value, &p) != nil || len(out.Value) > 50<<10 || p.Text == "" {
				t.Fatalf("%s from %d: %+v, %d bytes", name, offset, out.Fault, len(out.Value))
			}
			whole.WriteString(p.Text)
			if p.Next == 0 {
				break
			}
			if name == "lines" && !strings.HasSuffix(p.Text, "\n") {
				t.Errorf("a page of lines ends with %q", p.Text[len(p.Text)-20:])
			}
			offset = p.Next
		}
		if whole.String() != text {
			t.Errorf("%s: %d of %d bytes came together", name, whole.Len(), len(text))
		}
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	b := newBench(t, "skills: [greet]")
	b.put("skills/greet/SKILL.md", greet)
	b.put("skills/greet/x.md", "ä")
	if p := b.read(map[string]any{"name": "greet", "path": "x.md", "offset": 1}); p.Text != "" || p.Next != 0 {
		t.Errorf("from within the last character it reads %+v", p)
	}
	for _, c := range []struct {
		args map[string]any
		kind tool.FaultKind
		says string
	}{
		{map[string]any{"name": "gret"}, tool.FaultTool, "you have: greet"},
		{map[string]any{"name": "greet", "path": "../../config.yaml"}, tool.FaultTool, "nothing outside"},
		{map[string]any{"name": "greet", "offset": -1}, tool.FaultArguments, "has 10 bytes"},
		{map[string]any{"name": "greet", "offset": 11}, tool.FaultArguments, "has 10 bytes"},
	} {
		out := b.call(c.args)
		if out.State != tool.StateFailed || out.Fault.Kind != c.kind || !strings.Contains(out.Fault.Message, c.says) || strings.Contains(out.Fault.Message, b.dir) {
			t.Errorf("%v: %+v", c.args, out)
		}
	}
}
