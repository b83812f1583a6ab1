package script

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"mindroom/internal/config"
	"mindroom/internal/tool"
)

// excluded and gated are written out here once more: what a document says must
// not be read from the code that is to follow it.
var (
	excluded = []string{"browser", "script", "compact_context", "delegate", "dynamic_tools", "dynamic_workflow", "memory", "self_config"}
	gated    = []string{"claude_agent", "config_manager", "scheduler"}
)

// surfaceOf is the surface of an agent that has these toolkits, each with one
// function named after it.
func surfaceOf(t *testing.T, toolkits ...string) *tool.Surface {
	t.Helper()
	var all []tool.Toolkit
	for _, name := range toolkits {
		all = append(all, tool.Toolkit{Name: name, Build: func(tool.Env) ([]tool.Function, error) {
			return []tool.Function{{Name: tool.Name{Function: "do_" + name}, Schema: json.RawMessage(`{"type":"object"}`)}}, nil
		}})
	}
	registry, err := tool.NewRegistry(all...)
	if err != nil {
		t.Fatal(err)
	}
	text := "models: {default: {provider: scripted, id: x}}\nagents: {a: {display_name: A, tools: [" + strings.Join(toolkits, ", ") + "]}}\ndefaults: {tools: []}\n"
	c, _, err := config.Parse("/config.yaml", []byte(text), registry, config.Env{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := registry.Surface(config.NewHolder(c).Current(), "a")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Eight toolkits are never callable from a script: with an empty list they are
// left out, and listed they refuse the launch by their name (S07).
func TestConformanceEightToolkitsAreNeverGranted(t *testing.T) {
	t.Parallel()
	s := surfaceOf(t, append([]string{"website"}, excluded...)...)
	g, err := capture(s, nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := []tool.Name{{Toolkit: "website", Function: "do_website"}}; !slices.Equal(g.Names, want) {
		t.Errorf("an empty list grants %v, want %v", g.Names, want)
	}
	for _, name := range excluded {
		_, err := capture(s, []string{"website", name})
		if e := AsError(err); err == nil || e.Kind != KindUnknownTools || !strings.Contains(e.Message, "cannot use: "+name+".") {
			t.Errorf("listed %s: %v", name, err)
		}
	}
}

// Three toolkits are granted and never preapproved, also when they are listed
// (S08, S09).
func TestConformanceThreeToolkitsAreNeverPreapproved(t *testing.T) {
	t.Parallel()
	all := append([]string{"website"}, gated...)
	g, err := capture(surfaceOf(t, all...), all)
	if err != nil {
		t.Fatal(err)
	}
	if len(g.Names) != len(all) || !g.Preapprove {
		t.Errorf("granted %v, preapproving %v", g.Names, g.Preapprove)
	}
	if want := []tool.Name{{Toolkit: "website", Function: "do_website"}}; !slices.Equal(g.Unambiguous, want) {
		t.Errorf("preapproved are %v, want %v", g.Unambiguous, want)
	}
}

// A list takes toolkits, never functions, and no pattern (S02).
func TestConformanceAListTakesToolkitsOnly(t *testing.T) {
	t.Parallel()
	s := surfaceOf(t, "website", "file")
	for _, name := range []string{"do_website", "website.do_website", "*", "web*", "Website"} {
		if _, err := capture(s, []string{"file", name}); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("listed %q: %v", name, err)
		}
	}
}
