package doctor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The report names the skills of each agent, and those it goes without, each with its
// reason; an agent that has to do with none has no line (M14).
func TestSkills(t *testing.T) {
	t.Parallel()
	b := newBody(t)
	put := func(path, text string) {
		t.Helper()
		at := filepath.Join(b.dir, path)
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const good = "---\ndescription: d\n---\nx"
	put("skills/greet/SKILL.md", good)
	put("skills/broken/SKILL.md", "x")
	put("data/agents/writer/workspace/skills/mine/SKILL.md", good)
	put("data/agents/writer/workspace/skills/greet/SKILL.md", good)
	put("data/agents/reader/workspace/skills/mine/SKILL.md", good)
	b.config = `
models: {default: {provider: scripted, id: offline}}
agents:
  plain: {display_name: Plain, tools: [file], memory_backend: file}
  writer: {display_name: Writer, tools: [file], memory_backend: file, skills: [greet]}
  reader: {display_name: Reader, skills: [grete, broken]}
  diary: {display_name: Diary, tools: [file], private: {per: user}, skills: [greet]}
`
	want := []Finding{
		{"skills writer", OK, "greet, mine (its own)", ""},
		{"skills writer", Warn, "goes without the workspace's skill greet: the configuration gives the agent a skill of this name, and that one counts: rename the folder",
			"mend it in skills/ of the agent's workspace, or remove it"},
		{"skills reader", Warn, "goes without the operator's skill grete: there is no such folder in skills/ beside the configuration file; did you mean greet?",
			"mend it in skills/ beside the configuration file, or take it out of the agent's skills"},
		{"skills reader", Warn, "goes without the operator's skill broken: SKILL.md must begin with its name and description between two lines of ---, in at most 16384 bytes",
			"mend it in skills/ beside the configuration file, or take it out of the agent's skills"},
		{"skills diary", OK, "greet", ""},
	}
	got := b.patient().skills(t.Context())
	if len(got) != len(want) {
		t.Fatalf("%d findings: %+v", len(got), got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("finding %d is %+v, want %+v", i, got[i], want[i])
		}
	}
	for i := range 12 {
		put("data/agents/plain/workspace/skills/n"+strings.Repeat("n", i)+"/notes.md", "x")
	}
	if got = b.patient().skills(t.Context()); len(got) != len(want)+maxFaults+1 || got[maxFaults].Found != "2 more cannot be used" {
		t.Errorf("of twelve faults it tells %+v", got)
	}
}
