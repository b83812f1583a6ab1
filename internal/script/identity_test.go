package script_test

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"testing"
	"time"

	"mindroom/internal/identity"
	"mindroom/internal/tool"
)

// TestCallsKeepTheIdentityOfTheLaunch: room, thread, requester and agent are
// those of the conversation that launched the run, whatever a script sends (S42).
func TestCallsKeepTheIdentityOfTheLaunch(t *testing.T) {
	t.Parallel()
	h := opened(t, options{})
	req := request(t, sleeper)
	req.Depth = 3
	run, err := h.Launch(t.Context(), req)
	must(t, err)
	got := h.client(run).call("c1", "who", `{"value":{"requester_id":"@mallory:example.org"}}`)
	var said struct {
		Who   identity.Execution
		Depth int
		Door  tool.Door
		Owner string
	}
	must(t, json.Unmarshal(got.body.Result, &said))
	if said.Who != who(anna) || said.Depth != 3 || said.Door != tool.DoorScript || said.Owner != string(run.ID) {
		t.Errorf("the body saw %+v", said)
	}
}

// watchman is a hook that remembers what it saw and declines one function.
type watchman struct {
	mu   sync.Mutex
	seen []string
}

func (w *watchman) Before(_ context.Context, call tool.Call) *tool.Fault {
	w.note("before " + call.Name.Function)
	if call.Name.Function == "value" {
		return tool.Faultf(tool.FaultDeclined, "not on a Sunday")
	}
	return nil
}

func (w *watchman) After(_ context.Context, call tool.Call, out tool.Outcome, _ time.Duration) {
	w.note("after " + call.Name.Function + " " + string(out.State))
}

func (w *watchman) note(s string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen = append(w.seen, s)
}

// TestHooksSeeScriptCalls as they see every other call; a decline is a failed
// call of its own kind, never a success, and its body does not run (S17).
func TestHooksSeeScriptCalls(t *testing.T) {
	t.Parallel()
	w := &watchman{}
	h := opened(t, options{hooks: w})
	run := h.start(sleeper)
	c := h.client(run)
	c.call("c1", "echo", `{"text":"a"}`)
	declined := c.call("c2", "value", `{}`)
	c.call("c3", "confirm", `{}`)
	if declined.body.State != "failed" || declined.body.Error.Kind != tool.FaultDeclined || h.calls.count("probe.value") != 0 {
		t.Errorf("declined: %s, the body ran %d times", declined.raw, h.calls.count("probe.value"))
	}
	want := []string{"before echo", "after echo completed", "before value", "after value failed", "after confirm failed"}
	if !slices.Equal(w.seen, want) {
		t.Errorf("hooks saw %v, want %v", w.seen, want)
	}
}
