package script_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"mindroom/internal/canonical"
	"mindroom/internal/script"
	"mindroom/internal/tool"
	toolkit "mindroom/internal/toolkit/script"
)

const settingsYAML = `
models: {default: {provider: scripted, id: offline}}
agents:
  watcher:
    display_name: Watcher
    tools: [{script: {allowed_tools: [probe, second], max_tool_calls_per_minute: 3}}, probe, second]
authorization: {default_room_access: true}
defaults: {tools: []}
`

// What an agent's settings said at the launch holds for the run: a list that is
// narrowed or widened later, and limits that are changed, reach later runs only
// (S01, S06, S11, S87).
func TestConformanceSettingsAreThoseOfTheLaunch(t *testing.T) {
	t.Parallel()
	h := opened(t, options{})
	registry, err := tool.NewRegistry(h.calls.toolkit("probe", ""), h.calls.toolkit("second", "second_"), toolkit.New(func() toolkit.Runs { return h.Manager }))
	must(t, err)
	h.registry = registry
	h.UseRegistryForTest(registry)
	publish := func(allowed, rate string) {
		h.publish(strings.NewReplacer("[probe, second], max", allowed+", max", "minute: 3", "minute: "+rate).Replace(settingsYAML))
	}
	second := func(c client, id string) answer {
		return c.do(http.MethodPost, "/calls", strings.Replace(c.body(id, "second_echo", `{"text":"a"}`), `"probe"`, `"second"`, 1))
	}

	publish("[probe, second]", "3")
	wide := h.client(h.startAsAgent())
	publish("[probe]", "50")
	narrow := h.client(h.startAsAgent())
	if got := second(wide, "c1"); got.body.State != "completed" {
		t.Errorf("a list narrowed later took a toolkit from a running script: %d %s", got.status, got.raw)
	}
	if got := second(narrow, "c1"); got.status != http.StatusNotFound {
		t.Errorf("a run of the narrow list calls more: %d %s", got.status, got.raw)
	}
	publish("[probe, second]", "50")
	if got := second(narrow, "c2"); got.status != http.StatusNotFound {
		t.Errorf("a list widened later widens a running script: %d %s", got.status, got.raw)
	}
	second(wide, "c2")
	second(wide, "c3")
	if got := second(wide, "c4"); got.status != http.StatusTooManyRequests {
		t.Errorf("a fourth call of a run with three a minute: %d", got.status)
	}
}

// startAsAgent calls start_script as the configured agent would, and returns the
// run.
func (h *house) startAsAgent() *script.Run {
	h.t.Helper()
	surface, err := h.registry.Surface(h.holder.Current(), "watcher")
	must(h.t, err)
	f := surface.Lookup(tool.Name{Toolkit: "script", Function: "start_script"})
	arguments, err := json.Marshal(map[string]string{"source": sleeper})
	must(h.t, err)
	doc, err := canonical.Parse(arguments, canonical.Limits{})
	must(h.t, err)
	out := f.Body.Run(h.t.Context(), tool.Invocation{Call: tool.Call{Name: f.Name, Args: doc, Who: who(anna)}})
	var text string
	var envelope struct {
		Status, Message string
		Run             struct {
			ID string `json:"run_id"`
		}
	}
	must(h.t, json.Unmarshal(out.Value, &text))
	must(h.t, json.Unmarshal([]byte(text), &envelope))
	if envelope.Status != "ok" {
		h.t.Fatalf("start_script: %s", text)
	}
	run, err := h.Find(h.t.Context(), envelope.Run.ID)
	must(h.t, err)
	return run
}
