package config

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestEffectiveTools(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		agent    string // keys of the agent besides display_name
		defaults string // the root key defaults, if any
		catalog  catalog
		want     []string
	}{
		{"no defaults, no scheduler in the catalog", "tools: [shell]", "", toolkits(), []string{"shell agent"}},
		{"no defaults, scheduler in the catalog", "tools: [shell]", "", toolkits().with("scheduler"), []string{"shell agent", "scheduler defaults"}},
		{"own first, then defaults", "tools: [shell]", "{tools: [file, shell, website]}", toolkits(),
			[]string{"shell agent", "file defaults", "website defaults"}},
		{"defaults left out", "tools: [shell], include_default_tools: false", "{tools: [file]}", toolkits(), []string{"shell agent"}},
		{"null is the default list", "tools: null", "{tools: null}", toolkits().with("scheduler"), []string{"scheduler defaults"}},
		{"implied by a default", "tools: []", "{tools: [matrix_message]}", toolkits().with("matrix_room"),
			[]string{"matrix_message defaults", "attachments implied", "matrix_room implied"}},
		{"implied and own", "tools: [matrix_message, attachments]", "{tools: []}", toolkits(), []string{"matrix_message agent", "attachments agent"}},
		{"delegation", "tools: [], delegate_to: [watcher]", "{tools: []}", toolkits(), []string{"delegate implied"}},
		{"deferred", "tools: [{name: shell, defer: true, initial: true}]", "{tools: []}", toolkits().with("dynamic_tools"),
			[]string{"shell agent", "dynamic_tools implied"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			text := fmt.Sprintf("models: {default: {provider: scripted, id: demo}}\nagents: {watcher: {display_name: W, %s}}\n", tt.agent)
			if tt.defaults != "" {
				text += "defaults: " + tt.defaults + "\n"
			}
			c, _ := mustParse(t, tt.catalog, text)
			if diff := cmp.Diff(tt.want, toolNames(c.EffectiveTools("watcher"))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestEffectiveToolsAreACopy(t *testing.T) {
	t.Parallel()
	c, _ := mustParse(t, toolkits(), minimal+"defaults: {tools: [shell]}\n")
	c.EffectiveTools("watcher")[0].Name = "changed"
	if got := c.EffectiveTools("watcher")[0].Name; got != "shell" {
		t.Errorf("a caller changed the configuration: %s", got)
	}
	if c.EffectiveTools("nobody") != nil {
		t.Error("an unknown agent has tools")
	}
}

// Weakest first: the toolkit's default, defaults.tools, the agent; and the agent can take back what defaults.tools set.
func TestSettingsPrecedence(t *testing.T) {
	t.Parallel()
	tests := []struct{ agent, want string }{
		{"website", "from defaults"},
		{"website: {user_agent: own}", "own"},
		{"website: {user_agent: __MINDROOM_INHERIT__}", "mindroom"},
		{"website: {user_agent: null}", "from defaults"},
		{"website: {follow: false}", "from defaults"},
	}
	for _, tt := range tests {
		c, _ := mustParse(t, toolkits(), "models: {default: {provider: scripted, id: demo}}\n"+
			"agents: {watcher: {display_name: W, tools: ["+braced(tt.agent)+"]}}\ndefaults: {tools: [{website: {user_agent: from defaults, include_tools: [read_url]}}]}\n")
		entry := c.EffectiveTools("watcher")[0]
		if got := entry.Settings.String("user_agent"); got != tt.want {
			t.Errorf("%s: user_agent %q, want %q", tt.agent, got, tt.want)
		}
		if diff := cmp.Diff([]string{"read_url"}, entry.Include); diff != "" {
			t.Errorf("%s: include_tools: %s", tt.agent, diff)
		}
	}
}

// braced makes a mapping of an entry with settings and leaves a bare name alone.
func braced(entry string) string {
	if strings.Contains(entry, ":") {
		return "{" + entry + "}"
	}
	return entry
}
