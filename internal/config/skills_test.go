package config

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// An agent has the skills that its file names, each once and with its place; they lie
// beside the file, whatever it includes.
func TestSkills(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c, warnings, err := Parse(filepath.Join(dir, "house.yaml"), []byte("models: {default: {provider: scripted, id: demo}}\nagents:\n  x:\n    display_name: X\n    skills:\n      - greet\n      - a-1\n"+
		"  y: {display_name: Y, skills: null}\nauthorization: {default_room_access: true}\n"), toolkits(), Env{})
	if err != nil || len(warnings) != 0 {
		t.Fatal(err, warnings)
	}
	got := c.Agents["x"].Skills
	if len(got) != 2 || got[0].Name != "greet" || got[1].Name != "a-1" || got[1].Pos.Line != 7 || c.Agents["y"].Skills != nil {
		t.Errorf("they are %+v and %+v", got, c.Agents["y"].Skills)
	}
	if c.SkillsDir() != filepath.Join(dir, "skills") {
		t.Errorf("they lie in %s", c.SkillsDir())
	}
}

// Skills of an agent's own are those of a workspace that it may write; these, or some
// that it is given, bring the toolkit that reads them.
func TestAuthorsSkills(t *testing.T) {
	t.Parallel()
	for keys, want := range map[string]struct{ authors, has bool }{
		"tools: [file]":                                                                      {},
		"tools: [website], memory_backend: file":                                             {},
		"tools: [file], memory_backend: file":                                                {true, true},
		"tools: [shell], private: {per: user}":                                               {true, true},
		"tools: [{file: {include_tools: [read_file]}}], memory_backend: file":                {},
		"tools: [{file: {include_tools: [save_file]}}], memory_backend: file":                {true, true},
		"tools: [{shell: {exclude_tools: [run_shell_command]}}], memory_backend: file":       {},
		"tools: [{file: {exclude_tools: [save_file]}}, shell], memory_backend: file":         {true, true},
		"tools: [], skills: [greet]":                                                         {false, true},
		"tools: [file], skills: [greet], memory_backend: file, include_default_tools: false": {true, true},
	} {
		c, _ := mustParse(t, toolkits().with(OwnToolkit), "models: {default: {provider: scripted, id: demo}}\nagents: {x: {display_name: X, "+keys+"}}\ndefaults: {tools: []}\n")
		a := c.Agents["x"]
		has := slices.ContainsFunc(c.EffectiveTools("x"), func(e ToolEntry) bool { return e.Name == OwnToolkit && e.Origin == OriginImplied })
		if a.AuthorsSkills() != want.authors || has != want.has {
			t.Errorf("%s: authors %v, has the toolkit %v", keys, a.AuthorsSkills(), has)
		}
	}
}

func TestIsSkillName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"greet": true, "a": true, "42": true, "a-b-c": true, strings.Repeat("a", MaxSkillName): true, strings.Repeat("a-", MaxSkillName/2-1) + "bc": true,
		"": false, "-a": false, "a-": false, "a--b": false, "A": false, "a_b": false, "a b": false, "..": false, "a/b": false, "ä": false, "a\n": false,
		strings.Repeat("a", MaxSkillName+1): false,
	} {
		if IsSkillName(name) != want {
			t.Errorf("%q: %v", name, !want)
		}
	}
}
