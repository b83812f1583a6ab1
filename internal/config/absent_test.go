package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mindroom/internal/config/format"
)

// A toolkit that the format has and the build lacks is told once and left out; a slip of typing is refused.
func TestToolkitsThatABuildLacks(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, tools, defaults string
		want                  []string // the agent's tools
		says                  string   // a part of the only warning or fault
		refused               bool
	}{
		{name: "by name", tools: "[shell, calculator]", want: []string{"shell agent"}, says: "the toolkit calculator is not supported yet: has no effect"},
		{name: "with settings", tools: "[{homeassistant: {url: x, defer: true}}, shell]", want: []string{"shell agent"}, says: "the toolkit homeassistant is"},
		{name: "long", tools: "[{name: coding, overrides: {a: [1]}, defer: true, initial: true}]", says: "the toolkit coding is"},
		{name: "of the defaults", defaults: "[scheduler, shell]", want: []string{"shell defaults"}, says: "the toolkit scheduler is"},
		{name: "in two places", tools: "[todo]", defaults: "[todo]", says: "has no effect (nor in 1 more place)"},
		{name: "twice", tools: "[todo, {todo: {}}]", says: "the tool todo is listed twice", refused: true},
		{name: "settings of a wrong kind", tools: "[{todo: 7}]", says: "must be a mapping", refused: true},
		{name: "a controller that is deferred", tools: "[{self_config: {defer: true}}]", says: "cannot be deferred", refused: true},
		{name: "initial alone", tools: "[{todo: {initial: true}}]", says: "means something only together with defer", refused: true},
		{name: "a slip", tools: "[calculatr]", says: `unknown tool "calculatr"`, refused: true},
		{name: "a preset", tools: "[openclaw_compat, {shell: {include_tools: [a]}}]",
			want: []string{"shell agent", "website agent", "browser agent", "matrix_message agent", "attachments implied"},
			says: "openclaw_compat also stands for coding, duckduckgo, scheduler, subagents: not supported yet"},
		{name: "a preset that is deferred", tools: "[{name: openclaw_compat, defer: true}]", says: "list its tools instead", refused: true},
		{name: "a preset with settings", tools: "[{openclaw_compat: {timeout: 3}}]", says: "list its tools instead", refused: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			text := strings.Replace(minimal, "rooms: [operations]", "rooms: [operations], tools: "+tt.tools, 1) + "defaults: {tools: " + tt.defaults + "}\n"
			c, warnings, err := Parse("config.yaml", []byte(text), toolkits(), Env{})
			if tt.refused {
				if err == nil || !strings.Contains(err.Error(), tt.says) || strings.Contains(err.Error(), "\n") {
					t.Errorf("want one fault with %q, got %v", tt.says, err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, toolNames(c.EffectiveTools("watcher"))); diff != "" {
				t.Error(diff)
			}
			var told []string
			for _, w := range warnings {
				if strings.Contains(w.Message, "supported") && !strings.HasPrefix(w.Message, "defer: ") {
					told = append(told, w.Message)
				}
			}
			if len(told) != 1 || !strings.Contains(told[0], tt.says) {
				t.Errorf("want one warning with %q, got %q", tt.says, told)
			}
		})
	}
}

// A toolkit that only the format has may be named among those of a worker, and the schema takes whatever the loader takes.
func TestToolkitsOfTheFormat(t *testing.T) {
	t.Parallel()
	schema := schemaFor(t, toolkits())
	for _, name := range append(format.KnownToolkits(), "shell") {
		text := minimal + "defaults: {worker_tools: [" + name + "], tools: [" + name + "]}\n"
		if _, _, err := Parse("config.yaml", []byte(text), toolkits(), Env{}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := schema.Validate(instance(t, text)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, entry := range []string{"openclaw_compat", "{openclaw_compat: }", "{todo: {a: 1}}", "{name: todo, overrides: {a: 1}}"} {
		text := minimal + "defaults: {tools: [" + entry + "]}\n"
		if _, _, err := Parse("config.yaml", []byte(text), toolkits(), Env{}); err != nil {
			t.Errorf("%s: %v", entry, err)
		}
		if err := schema.Validate(instance(t, text)); err != nil {
			t.Errorf("%s: %v", entry, err)
		}
	}
}
