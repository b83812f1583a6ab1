package config

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// The document's example must mean what it says, and its tools list must drop the defaults (S01, S03, S04, S05).
func TestSeedExample(t *testing.T) {
	t.Parallel()
	c, _ := mustParse(t, toolkits().with("scheduler", "matrix_room"), string(read(t, "testdata/accepted/watcher.yaml")))
	want := Model{Provider: "anthropic", ID: "claude-sonnet-5"}
	if diff := cmp.Diff(want, c.Models["default"]); diff != "" {
		t.Error(diff)
	}
	a := c.Agents["watcher"]
	if a.DisplayName != "Watcher" || a.Model != "default" || len(a.Instructions) != 2 || a.WorkerTools.Explicit || a.MaxToolCallsPerTurn != 0 {
		t.Errorf("agent: %+v", a)
	}
	tools := c.EffectiveTools("watcher")
	names := []string{"script agent", "website agent", "matrix_message agent", "attachments implied", "matrix_room implied"}
	if diff := cmp.Diff(names, toolNames(tools)); diff != "" {
		t.Error(diff)
	}
	s := tools[0].Settings
	if diff := cmp.Diff([]string{"website", "matrix_message"}, s.Strings("allowed_tools")); diff != "" {
		t.Error(diff)
	}
	if s.Int("max_concurrent_runs") != 3 || s.Int("max_tool_calls_per_minute") != 30 || s.Number("max_runtime_hours") != 24 {
		t.Errorf("limits: %d %d %v", s.Int("max_concurrent_runs"), s.Int("max_tool_calls_per_minute"), s.Number("max_runtime_hours"))
	}
}

// The example of the format's description uses every section once.
func TestWholeExample(t *testing.T) {
	t.Parallel()
	c, _ := mustParse(t, toolkits(), string(read(t, "testdata/accepted/everything.yaml")))
	if diff := cmp.Diff([]string{"watcher", "helper", "scribe"}, c.AgentNames()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"router", "watcher", "helper", "scribe"}, c.Entities()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"operations", "lobby"}, c.ManagedRooms()); diff != "" {
		t.Error(diff)
	}
	if c.Location.String() != "Europe/Amsterdam" || c.Router.Model != "fast" || !c.Router.AcceptInvites || c.InternalUser != nil {
		t.Errorf("root: %v %+v %v", c.Location, c.Router, c.InternalUser)
	}
	helper, scribe, watcher := c.Agents["helper"], c.Agents["scribe"], c.Agents["watcher"]
	if diff := cmp.Diff(&Private{Per: ScopeUserAgent, Root: "helper_data"}, helper.Private); diff != "" || helper.WorkerScope != ScopeUserAgent {
		t.Errorf("private: %s %s", diff, helper.WorkerScope)
	}
	if !helper.HasWorkspace() || !watcher.HasWorkspace() || scribe.MemoryBackend != MemoryFile {
		t.Error("workspaces")
	}
	if scribe.ThreadModeIn("!x:example.org", "operations") != ModeThread || scribe.ThreadModeIn("lobby") != ModeRoom || scribe.NumHistoryMessages != 60 {
		t.Errorf("scribe: %+v", scribe)
	}
	if watcher.MaxToolCallsPerTurn != 80 || len(watcher.MinimalInstructions) != 1 || watcher.IncludeDefaultTools {
		t.Errorf("watcher: %+v", watcher)
	}
	if c.Approval.Timeout != 48*time.Hour || c.Approval.Rules[1].Action != ActionRequire || c.Approval.Rules[1].Match != "run_shell_*" {
		t.Errorf("approval: %+v", c.Approval)
	}
	if c.Authorization.Canonical("@signal_77:example.org") != "@anna:example.org" || c.Authorization.Canonical("@ben:example.org") != "@ben:example.org" {
		t.Error("aliases")
	}
	if !*c.Rooms["lobby"].Encrypted || c.Rooms["operations"].Encrypted != nil || c.RoomModels["lobby"] != "fast" {
		t.Errorf("rooms: %+v", c.Rooms)
	}
	if len(c.Defaults.Tools) != 0 || !c.Defaults.EnableStreaming {
		t.Errorf("defaults: %+v", c.Defaults)
	}
}
