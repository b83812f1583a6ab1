package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAgentInheritsFromDefaults(t *testing.T) {
	t.Parallel()
	c, _ := mustParse(t, toolkits(), `
models: {default: {provider: scripted, id: demo}}
defaults: {tools: [], show_tool_calls: false, max_tool_calls_per_turn: 9, num_history_runs: 4, worker_scope: shared, worker_tools: [shell], background_jobs: true}
agents:
  plain: {display_name: P}
  own:
    display_name: O
    show_tool_calls: true
    max_tool_calls_per_turn: 2
    num_history_messages: 7
    worker_scope: user
    worker_tools: []
    background_jobs: false
  nulls: {display_name: N, show_tool_calls: null, worker_tools: null, worker_scope: ~, max_tool_calls_per_turn: null}
  private: {display_name: V, private: {per: user, root: mine}}
`)
	type inherited struct {
		Show              bool
		Calls, Runs, Msgs int
		Scope             Scope
		Tools             WorkerTools
		Jobs              bool
	}
	shell := WorkerTools{true, []string{"shell"}}
	want := map[string]inherited{
		"plain":   {false, 9, 4, 0, ScopeShared, shell, true},
		"own":     {true, 2, 0, 7, ScopeUser, WorkerTools{true, []string{}}, false},
		"nulls":   {false, 9, 4, 0, ScopeShared, shell, true},
		"private": {false, 9, 4, 0, ScopeUser, shell, true},
	}
	for name, w := range want {
		a := c.Agents[name]
		got := inherited{a.ShowToolCalls, a.MaxToolCallsPerTurn, a.NumHistoryRuns, a.NumHistoryMessages, a.WorkerScope, a.WorkerTools, a.BackgroundJobs}
		if diff := cmp.Diff(w, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// Null stays null up to the decision: no list anywhere is not an empty list.
func TestWorkerToolsNull(t *testing.T) {
	t.Parallel()
	c, _ := mustParse(t, toolkits(), minimal)
	if c.Agents["watcher"].WorkerTools.Explicit || c.Defaults.WorkerTools.Explicit {
		t.Error("an absent worker_tools became a list")
	}
}

func TestMinimalFileHasNoWarning(t *testing.T) {
	t.Parallel()
	c, warnings := mustParse(t, toolkits(), minimal)
	if len(warnings) > 0 {
		t.Errorf("warnings: %v", warnings)
	}
	if len(c.Defaults.Tools) != 0 || len(c.EffectiveTools("watcher")) != 0 {
		t.Error("an absent defaults section gave tools the catalog does not have")
	}
}

func TestMerging(t *testing.T) {
	t.Parallel()
	c, _ := mustParse(t, toolkits(), `
models: {default: &m {provider: scripted, id: demo}, second: {<<: *m, id: other}, third: *m}
agents:
  a: &base {display_name: A, role: first}
  b: {<<: [*base, {role: last, model: second}], display_name: B}
authorization: {default_room_access: yes}
`)
	if c.Models["second"].ID != "other" || c.Models["second"].Provider != "scripted" || c.Models["third"].ID != "demo" {
		t.Errorf("models: %+v", c.Models)
	}
	if b := c.Agents["b"]; b.DisplayName != "B" || b.Role != "first" || b.Model != "second" {
		t.Errorf("agent: %+v", b)
	}
}

func TestUnheededKeysAreToldOnce(t *testing.T) {
	t.Parallel()
	_, warnings := mustParse(t, toolkits(), minimal+`
cultures: {}
defaults: {learning: null}
teams: {desk: {display_name: Desk, role: Together, agents: [watcher], rooms: [attic]}}
room_models: {attic: default}
`)
	if len(warnings) != 2 {
		t.Errorf("want cultures and teams only: %v", warnings)
	}
	_, warnings = mustParse(t, toolkits(), `
models: {default: {provider: scripted, id: demo}}
agents:
  a: {display_name: A, learning: true}
  b: {display_name: B, learning: true}
  c: {display_name: C, learning: true}
authorization: {default_room_access: true}
`)
	want := Warnings{{Pos{"/etc/mindroom/config.yaml", 4, 24}, "agents.a.learning", "not supported yet: has no effect (nor in 2 more places)"}}
	if diff := cmp.Diff(want, warnings); diff != "" {
		t.Error(diff)
	}
}

func TestDelegationWithoutItsToolkit(t *testing.T) {
	t.Parallel()
	text := strings.Replace(minimal, "rooms: [operations]", "delegate_to: [watcher]", 1)
	if _, warnings := mustParse(t, catalog{}, text); len(warnings) != 1 || warnings[0].Path != "agents.watcher.delegate_to" {
		t.Errorf("%v", warnings)
	}
	if _, warnings := mustParse(t, toolkits(), text); len(warnings) != 0 {
		t.Errorf("%v", warnings)
	}
}
