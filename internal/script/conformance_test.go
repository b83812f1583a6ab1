package script_test

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"mindroom/internal/identity"
	"mindroom/internal/script"
	"mindroom/internal/worker"
)

// A run keeps the limits of its launch whatever the configuration and later
// launches say (S06).
func TestConformanceLimitsAreCaptured(t *testing.T) {
	t.Parallel()
	h := opened(t, options{})
	req := request(t, sleeper)
	req.MaxCallsPerMinute, req.MaxRuntime = 1, 2*time.Hour
	run, err := h.Launch(t.Context(), req)
	must(t, err)
	h.publish(strings.Replace(houseYAML, "display_name: Watcher", "display_name: Renamed", 1))
	req.MaxCallsPerMinute, req.MaxRuntime = 50, time.Hour
	later, err := h.Launch(t.Context(), req)
	must(t, err)
	h.Pass(t.Context())

	kept, err := h.Find(t.Context(), string(run.ID))
	must(t, err)
	if kept.MaxCallsPerMinute != 1 || kept.MaxRuntime != 2*time.Hour {
		t.Errorf("the run has %d calls a minute and %v now", kept.MaxCallsPerMinute, kept.MaxRuntime)
	}
	old, fresh := h.client(run), h.client(later)
	for _, id := range []string{"c1", "c2"} {
		if got := fresh.call(id, "echo", `{"text":"a"}`); got.status != http.StatusOK {
			t.Errorf("the later run's %s: %d", id, got.status)
		}
	}
	if got := old.call("c1", "echo", `{"text":"a"}`); got.status != http.StatusOK {
		t.Errorf("first call: %d", got.status)
	}
	if got := old.call("c2", "echo", `{"text":"a"}`); got.status != http.StatusTooManyRequests {
		t.Errorf("second call of a run with one a minute: %d", got.status)
	}
}

// The label is shown in status and in lists (S24), and a list can leave out what
// has ended (S27).
func TestConformanceLabelAndLists(t *testing.T) {
	t.Parallel()
	h := opened(t, options{})
	req := request(t, "print('bye')")
	req.Name = "  status page  "
	run, err := h.Launch(t.Context(), req)
	must(t, err)
	h.terminal(run.ID)
	lives := h.start(sleeper)
	for finished, want := range map[bool][]identity.RunID{true: {lives.ID, run.ID}, false: {lives.ID}} {
		runs, err := h.List(t.Context(), owner(anna), finished)
		must(t, err)
		var ids []identity.RunID
		for _, r := range runs {
			ids = append(ids, r.ID)
		}
		if len(ids) != len(want) || ids[0] != want[0] || ids[len(ids)-1] != want[len(want)-1] {
			t.Errorf("include_finished %v lists %v, want %v, newest first", finished, ids, want)
		}
	}
	got, _, counts, err := h.Get(t.Context(), owner(anna), string(run.ID))
	must(t, err)
	for what, view := range map[string]json.Marshaler{"status": got.ViewWith(counts), "list": got.View(true)} {
		raw, err := view.MarshalJSON()
		must(t, err)
		if !strings.Contains(string(raw), `"name":"status page"`) {
			t.Errorf("%s has no label: %s", what, raw)
		}
	}
}

// get_script shows what a program wrote so far while it runs, and the same kept
// text after it ended (S26, S75).
func TestConformanceStatusHasTheOutput(t *testing.T) {
	t.Parallel()
	h := opened(t, options{})
	run := h.start(sleeper)
	h.waitOutput(run, "up\n")
	live, output, _, err := h.Get(t.Context(), owner(anna), string(run.ID))
	must(t, err)
	if live.State != script.Running || output != "up\n" {
		t.Errorf("while it runs: %s, %q", live.State, output)
	}
	_, err = h.Cancel(t.Context(), owner(anna), string(run.ID), true)
	must(t, err)
	ended, output, _, err := h.Get(t.Context(), owner(anna), string(run.ID))
	must(t, err)
	if ended.State != script.Cancelled || output != "up\n" {
		t.Errorf("afterwards: %s, %q", ended.State, output)
	}
}

// unprovable is a backend that cannot confirm the first ends it is asked for.
type unprovable struct {
	worker.Backend
	left atomic.Int32
}

func (u *unprovable) End(ctx context.Context, run identity.RunID, folder string, h worker.Handle, graceful bool) (worker.Exit, error) {
	if u.left.Add(-1) >= 0 {
		return worker.Exit{}, worker.ErrUnproven
	}
	return u.Backend.End(ctx, run, folder, h, graceful)
}

// While an end cannot be confirmed the wish for it is durable, the run has lost
// its tools and is not called cancelled; a later look and a later pass take it up
// again (S30, S74).
func TestConformanceACancellationIsTriedAgain(t *testing.T) {
	t.Parallel()
	h := opened(t, options{})
	u := &unprovable{}
	u.left.Store(2)
	h.WrapBackendForTest(func(b worker.Backend) worker.Backend { u.Backend = b; return u })
	run := h.start(sleeper)
	c := h.client(run)
	_, err := h.Cancel(t.Context(), owner(anna), string(run.ID), false)
	if e := script.AsError(err); err == nil || e.Kind != script.KindUnconfirmed || !e.Retryable {
		t.Fatalf("cancel: %v", err)
	}
	looked, _, _, err := h.Get(t.Context(), owner(anna), string(run.ID))
	must(t, err)
	if looked.State.Terminal() || !looked.Revoked() || looked.Reason != script.ReasonOwnerCancel {
		t.Errorf("an unconfirmed end reads as %s, revoked %v, %s", looked.State, looked.Revoked(), looked.Reason)
	}
	if got := c.call("c1", "echo", `{"text":"a"}`); got.status != http.StatusNotFound {
		t.Errorf("the capability lives: %d", got.status)
	}
	h.Pass(t.Context())
	end, err := h.Find(t.Context(), string(run.ID))
	must(t, err)
	if end.State != script.Cancelled || end.Reason != script.ReasonOwnerCancel {
		t.Errorf("after a pass: %s, %s", end.State, end.Reason)
	}
}

// A run goes on, able to call tools, after whatever launched it has ended (S85).
func TestConformanceARunOutlivesItsTurn(t *testing.T) {
	t.Parallel()
	h := opened(t, options{})
	turn, end := context.WithCancel(t.Context())
	run, err := h.Launch(turn, request(t, sleeper))
	must(t, err)
	h.waitOutput(run, "up")
	end()
	h.Pass(t.Context())
	if got := h.client(run).call("c1", "echo", `{"text":"still here"}`); got.body.State != "completed" || string(got.body.Result) != `"still here"` {
		t.Errorf("after its turn: %d %s", got.status, got.raw)
	}
	if r, err := h.Find(t.Context(), string(run.ID)); err != nil || r.State != script.Running {
		t.Errorf("after its turn: %+v, %v", r, err)
	}
}

// A local script inherits the environment that the runtime gives it (S56) and
// finds its run, its gateway and its capability beside it (S39).
func TestConformanceALocalScriptsEnvironment(t *testing.T) {
	t.Parallel()
	h := opened(t, options{})
	run := h.start(`
import os
for name in ("MINDROOM_SUPERVISE", "MINDROOM_SCRIPT_RUN_ID", "MINDROOM_SCRIPT_GATEWAY_URL", "MINDROOM_SCRIPT_TOKEN_PATH"):
    print(name + "=" + os.environ.get(name, "(none)"), flush=True)
print("mode %o" % (os.stat(os.environ["MINDROOM_SCRIPT_TOKEN_PATH"]).st_mode & 0o777), flush=True)
`)
	end := h.terminal(run.ID)
	out, err := h.Output(t.Context(), end, -1)
	must(t, err)
	for _, want := range []string{"MINDROOM_SUPERVISE=" + os.Getenv("MINDROOM_SUPERVISE"), "RUN_ID=" + string(run.ID), "GATEWAY_URL=" + h.server.URL + script.GatewayPath, "TOKEN_PATH=" + h.storage, "mode 600"} {
		if !strings.Contains(out.Text, want+"\n") && !strings.Contains(out.Text, want+"/") {
			t.Errorf("the output lacks %q:\n%s", want, out.Text)
		}
	}
}
