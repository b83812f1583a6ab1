package prompt

import (
	"context"
	"strings"
	"testing"

	"mindroom/internal/config"
	"mindroom/internal/tool"
)

// M09: stable names in a stable order, whole texts, nothing empty.
func TestDocuments(t *testing.T) {
	t.Parallel()
	long := "  {braces}\n" + strings.Repeat("x", 100_000) + "\n"
	got := Documents(DocumentFacts{
		Role: "Read pages.", Instructions: []string{"Be brief.", " ", "Name the page."}, Interactive: InteractiveGuide, Knowledge: []string{"docs: the manual"},
		Context: []ContextFile{{"AGENTS.md", long}, {"empty.md", " \n"}, {"USER.md", "Ann"}}, Toolkits: []string{"", "# web"}, System: "You are Helper.",
	})
	want := []Document{
		{"role", "Read pages."}, {"instructions", "- Be brief.\n- Name the page."}, {"interactive", InteractiveGuide}, {"knowledge", "- docs: the manual"},
		{"context-1", long}, {"context-3", "Ann"}, {"toolkit-2", "# web"}, {"agent-context", "You are Helper."},
	}
	if len(got) != len(want) {
		t.Fatalf("%d documents, want %d", len(got), len(want))
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("document %d is %s with %d characters, want %s", i, got[i].Name, len(got[i].Text), want[i].Name)
		}
	}
	if got := Documents(DocumentFacts{Instructions: []string{" "}}); got != nil {
		t.Errorf("nothing has the documents %v", got)
	}
}

func TestGuidance(t *testing.T) {
	t.Parallel()
	function := func(name, description string) tool.Function {
		return tool.Typed(tool.Spec{Name: name, Description: description}, func(context.Context, tool.Invocation, struct{}) (any, error) { return "", nil })
	}
	r, err := tool.NewRegistry(
		tool.Toolkit{Name: "web", Purpose: "Pages.", Build: func(tool.Env) ([]tool.Function, error) {
			return []tool.Function{function("read", "Read a page.\nIt may be long."), function("post", "Post.")}, nil
		}},
		tool.Toolkit{Name: "bare", Build: func(tool.Env) ([]tool.Function, error) { return nil, nil }},
		tool.Toolkit{Name: "mute", Build: func(tool.Env) ([]tool.Function, error) { return []tool.Function{function("say", "Say.")}, nil }},
	)
	if err != nil {
		t.Fatal(err)
	}
	c, _, err := config.Parse("config.yaml", []byte("models: {default: {provider: scripted, id: demo}}\nagents: {a: {display_name: A, tools: [bare, {web: {exclude_tools: [post]}}, mute]}}\n"), r, config.Env{})
	if err != nil {
		t.Fatal(err)
	}
	surface, err := r.Surface(&config.Snapshot{Number: 1, Config: c}, "a")
	if err != nil {
		t.Fatal(err)
	}
	got := Guidance(surface, r.Purpose)
	for i, want := range []string{"", "# web\nPages.\n\n`read`: Read a page.\nIt may be long.", "# mute\n\n`say`: Say."} {
		if i >= len(got) || got[i] != want {
			t.Fatalf("guidance %d of %q, want %q", i, got, want)
		}
	}
}
