package script_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mindroom/internal/audit"
	"mindroom/internal/lifecycle/step"
	"mindroom/internal/script"
	"mindroom/internal/tool"
)

// TestScriptCallsThroughTheSDK is the walk through every room: launch, SDK,
// gateway, broker, room, tool, receipt, exit (S21, S32–S36, S59, S85).
func TestScriptCallsThroughTheSDK(t *testing.T) {
	t.Parallel()
	h := opened(t, options{})
	run := h.start(`
from mindroom.script_sdk import MindRoomTools, MindRoomToolCallError
tools = MindRoomTools()
print(tools.call("probe", "echo", text="hello"), flush=True)
print(tools.call("probe", "value", value={"big": 2**70, "pi": 3.0, "s": "é\u2028"}), flush=True)
try:
    tools.call("probe", "fail")
except MindRoomToolCallError as e:
    print(e.kind, e.retryable, len(e.call_id), e, flush=True)
try:
    tools.call("probe", "echo", text=7)
except MindRoomToolCallError as e:
    print(e.kind, e, flush=True)
`)
	end := h.terminal(run.ID)
	out, err := h.Output(t.Context(), end, -1)
	must(t, err)
	if end.State != script.Exited || end.ExitCode == nil || *end.ExitCode != 0 {
		t.Fatalf("state %s, code %v, error %q, output:\n%s", end.State, end.ExitCode, end.Error, out.Text)
	}
	for _, want := range []string{"hello\n", "{'big': 1180591620717411303424, 'pi': 3.0, 's': 'é\\u2028'}\n",
		"tool_failure False 32 the disk of the tool is full\n", "invalid_arguments the arguments of probe.echo do not fit: text: expected string, received the number 7"} {
		if !strings.Contains(out.Text, want) {
			t.Errorf("output lacks %q:\n%s", want, out.Text)
		}
	}
	records, err := audit.Of(t.Context(), h.db, string(run.ID))
	must(t, err)
	if len(records) != 4 || records[0].Requester != anna || records[0].Name.String() != "probe.echo" || records[2].Fault != tool.FaultTool {
		t.Errorf("audit of four calls: %+v", records)
	}
	if _, err := os.Stat(filepath.Join(h.storage, "script_runs", string(run.ID))); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the run's folder is still there: %v", err)
	}
}

// TestEndsTellTheTruth: every way a program ends leads to the state that says so
// (S59), with the reason a person needs.
func TestEndsTellTheTruth(t *testing.T) {
	t.Parallel()
	h := opened(t, options{})
	for name, c := range map[string]struct {
		source string
		state  script.State
		code   int
		text   string
	}{
		"returns":           {"print('fine')", script.Exited, 0, ""},
		"exit code":         {"import sys; print('bad luck'); sys.exit(3)", script.Failed, 3, "exit code 3: bad luck"},
		"raises":            {"raise ValueError('no such page')", script.Failed, 1, "ValueError: no such page"},
		"no Python at all":  {"this is no python", script.Failed, 1, "SyntaxError"},
		"kills itself":      {"import os, signal; os.kill(os.getpid(), signal.SIGKILL)", script.Failed, -9, "SIGKILL"},
		"dies of a fault":   {"import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", script.Failed, -11, "SIGSEGV"},
		"graceful handlers": {"import os, signal; os.kill(os.getpid(), signal.SIGTERM)", script.Failed, 143, "143"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			req := request(t, c.source)
			req.MaxConcurrent = 100
			run, err := h.Launch(t.Context(), req)
			must(t, err)
			end := waitTerminal(t, h, run)
			if end.State != c.state || end.ExitCode == nil || *end.ExitCode != c.code || !strings.Contains(end.Error, c.text) {
				t.Errorf("state %s, code %v, error %q; want %s, %d, %q", end.State, deref(end.ExitCode), end.Error, c.state, c.code, c.text)
			}
			if c.state == script.Exited && end.Error != "" {
				t.Errorf("a good end has an error: %q", end.Error)
			}
		})
	}
}

// waitTerminal waits through the control function, as an agent does.
func waitTerminal(t *testing.T, h *house, run *script.Run) *script.Run {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		got, _, _, err := h.Get(ctx, owner(run.Who.Requester), string(run.ID))
		must(t, err)
		if got.State.Terminal() {
			return got
		}
		<-tick.C
	}
}

func deref(p *int) any {
	if p == nil {
		return nil
	}
	return *p
}

func TestDeadlineInterrupts(t *testing.T) {
	t.Parallel()
	h := opened(t, options{})
	req := request(t, sleeper)
	req.MaxRuntime = time.Second
	run, err := h.Launch(t.Context(), req)
	must(t, err)
	end := h.terminal(run.ID)
	if end.State != script.Interrupted || end.Reason != script.ReasonMaxRuntime {
		t.Errorf("state %s, reason %s (S05)", end.State, end.Reason)
	}
}

// TestCancelOrder: revoked before the process is touched, cancelled only after
// its end is proven (S28), with everything the tree started.
func TestCancelOrder(t *testing.T) {
	t.Parallel()
	var order []step.Name
	h := opened(t, options{step: func(s step.Name) { order = append(order, s) }})
	run := h.start(`
import subprocess, sys, time
subprocess.Popen([sys.executable, "-c", "import os,signal,time; signal.signal(signal.SIGTERM, signal.SIG_IGN); os.setsid(); time.sleep(600)"])
print("up", flush=True)
time.sleep(600)
`)
	h.waitOutput(run, "up")
	order = nil
	end, err := h.Cancel(t.Context(), owner(anna), string(run.ID), false)
	must(t, err)
	if end.State != script.Cancelled || end.Reason != script.ReasonOwnerCancel {
		t.Errorf("state %s, reason %s", end.State, end.Reason)
	}
	want := []step.Name{step.RunRevoked, step.RunExitProven, step.RunExitRecorded, step.RunCleaned, step.RunTerminal}
	if !slices.Equal(order, want) {
		t.Errorf("order %v, want %v", order, want)
	}
	again, err := h.Cancel(t.Context(), owner(anna), string(run.ID), true)
	must(t, err)
	if again.State != script.Cancelled || !again.FinishedAt.Equal(end.FinishedAt) {
		t.Errorf("a second cancel changed the run: %+v", again)
	}
}

// waitOutput waits until a live run has written text.
func (h *house) waitOutput(run *script.Run, text string) {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(h.t.Context(), 20*time.Second)
	defer cancel()
	var all string
	for offset := int64(0); !strings.Contains(all, text); {
		out, err := h.Output(ctx, run, offset)
		must(h.t, err)
		if ctx.Err() != nil {
			h.t.Fatalf("run %s never wrote %q, only %q", run.ID, text, all)
		}
		all += out.Text
		offset = out.Offset + int64(len(out.Text))
	}
}

func TestForceSkipsTheGracefulSignal(t *testing.T) {
	t.Parallel()
	h := opened(t, options{})
	run := h.start("import atexit, time\natexit.register(lambda: print('said goodbye', flush=True))\nprint('up', flush=True)\ntime.sleep(600)\n")
	h.waitOutput(run, "up")
	end, err := h.Cancel(t.Context(), owner(anna), string(run.ID), true)
	must(t, err)
	out, err := h.Output(t.Context(), end, -1)
	must(t, err)
	if end.State != script.Cancelled || end.ExitCode == nil || *end.ExitCode != -9 || strings.Contains(out.Text, "goodbye") {
		t.Errorf("state %s, code %v, output %q (S29)", end.State, deref(end.ExitCode), out.Text)
	}
}

// TestOwnership: a run of another requester or agent reads as not found (S27).
func TestOwnership(t *testing.T) {
	t.Parallel()
	h := opened(t, options{})
	run := h.start(sleeper)
	for name, other := range map[string]script.Owner{"requester": {Requester: ben, Agent: "watcher"}, "agent": {Requester: anna, Agent: "other"}} {
		_, _, _, getErr := h.Get(t.Context(), other, string(run.ID))
		_, cancelErr := h.Cancel(t.Context(), other, string(run.ID), false)
		_, _, _, missing := h.Get(t.Context(), other, "script-00000000000000000000000000000000")
		for what, err := range map[string]error{"get": getErr, "cancel": cancelErr, "missing": missing} {
			if e := script.AsError(err); err == nil || e.Kind != script.KindNotFound {
				t.Errorf("%s by another %s: %v", what, name, err)
			}
		}
		if strings.ReplaceAll(getErr.Error(), string(run.ID), "X") != strings.ReplaceAll(missing.Error(), "script-00000000000000000000000000000000", "X") {
			t.Errorf("a foreign run reads %q, a missing one %q", getErr, missing)
		}
		runs, err := h.List(t.Context(), other, true)
		must(t, err)
		if len(runs) != 0 {
			t.Errorf("another %s sees %d runs", name, len(runs))
		}
	}
	runs, err := h.List(t.Context(), owner(anna), false)
	must(t, err)
	if len(runs) != 1 || runs[0].ID != run.ID {
		t.Errorf("the owner sees %v", runs)
	}
}

func TestConcurrentLimitCountsPerOwner(t *testing.T) {
	t.Parallel()
	h := opened(t, options{})
	req := request(t, sleeper)
	req.MaxConcurrent = 2
	for range 2 {
		_, err := h.Launch(t.Context(), req)
		must(t, err)
	}
	if _, err := h.Launch(t.Context(), req); script.AsError(err).Kind != script.KindConcurrent {
		t.Errorf("a third launch: %v (S03)", err)
	}
	other := req
	other.Who = who(ben)
	run, err := h.Launch(t.Context(), other)
	must(t, err)
	if _, err := h.Cancel(t.Context(), owner(ben), string(run.ID), true); err != nil {
		t.Fatal(err)
	}
}

// TestViewHoldsNoSecret: no control response holds the capability, its hash, or
// where anything lies (S31).
func TestViewHoldsNoSecret(t *testing.T) {
	t.Parallel()
	h := opened(t, options{})
	run := h.start(sleeper)
	token := h.token(run)
	raw, err := json.Marshal(run.View(false))
	must(t, err)
	for _, leak := range []string{token, script.HashForTest(token), "script_runs/", string(run.Key), "identity"} {
		if strings.Contains(string(raw), leak) {
			t.Errorf("the run object holds %q", leak)
		}
	}
	var got map[string]any
	must(t, json.Unmarshal(raw, &got))
	for _, field := range []string{"run_id", "agent_name", "name", "state", "execution_mode", "local_unsafe", "resource_profile", "resource_requests",
		"resource_limits", "created_at", "started_at", "finished_at", "exit_code", "error", "cancel_requested_at", "cancellation_reason",
		"max_tool_calls_per_minute", "max_runtime_seconds", "grants"} {
		if _, ok := got[field]; !ok {
			t.Errorf("the run object lacks %s", field)
		}
	}
	if got["execution_mode"] != "unsafe_local" || !strings.Contains(got["notice"].(string), "trusted arbitrary code") {
		t.Errorf("mode %v, notice %v (S20, S56)", got["execution_mode"], got["notice"])
	}
	// The database holds the hash alone.
	for _, file := range []string{"mindroom.db", "mindroom.db-wal"} {
		content, err := os.ReadFile(filepath.Join(h.storage, file))
		must(t, err)
		if strings.Contains(string(content), token) {
			t.Errorf("%s holds the capability", file)
		}
	}
}

// TestRefusedLaunchesLeaveNothing: what is refused before the row leaves neither
// a row nor a folder, and says what to do.
func TestRefusedLaunchesLeaveNothing(t *testing.T) {
	t.Parallel()
	h := opened(t, options{})
	refusing := opened(t, options{refuse: errors.New("set MINDROOM_SANDBOX_EXECUTION_MODE=off to run scripts on this machine")})
	closed := open(t, options{})
	alone := opened(t, options{noGateway: true})
	for name, c := range map[string]struct {
		h      *house
		change func(*script.Request)
		kind   script.ErrorKind
		text   string
	}{
		"no worker and no local mode": {refusing, func(*script.Request) {}, script.KindNoSandbox, "MINDROOM_SANDBOX_EXECUTION_MODE"},
		"no API":                      {alone, func(*script.Request) {}, script.KindNoGateway, "--no-api"},
		"unknown toolkit":             {h, func(r *script.Request) { r.Allowed = []string{"probe", "websit", "*"} }, script.KindUnknownTools, "*, websit"},
		"restricted toolkit":          {h, func(r *script.Request) { r.Allowed = []string{"script"} }, script.KindUnknownTools, "script"},
		"explicit profile":            {h, func(r *script.Request) { r.Profile = "small" }, script.KindProfiles, "resource_profile"},
		"long name":                   {h, func(r *script.Request) { r.Name = strings.Repeat("é", 121) }, script.KindName, "120"},
		"no conversation":             {h, func(r *script.Request) { r.Who.Room = "" }, script.KindNoContext, "Matrix room"},
		"recovery pending":            {closed, func(*script.Request) {}, script.KindReconciling, "try again"},
	} {
		t.Run(name, func(t *testing.T) {
			req := request(t, sleeper)
			c.change(&req)
			run, err := c.h.Launch(t.Context(), req)
			e := script.AsError(err)
			if err == nil || e.Kind != c.kind || !strings.Contains(e.Message, c.text) {
				t.Fatalf("launch: %v, %v; want %s with %q", run, err, c.kind, c.text)
			}
			all, err := c.h.All(t.Context(), true, 0)
			must(t, err)
			folders, _ := filepath.Glob(filepath.Join(c.h.storage, "script_runs", "*"))
			if len(all) != 0 || len(folders) != 0 {
				t.Errorf("left behind: %d rows, folders %v", len(all), folders)
			}
		})
	}
}

func TestAFailedStartIsFailedNotAmbiguous(t *testing.T) {
	t.Parallel()
	h := opened(t, options{step: func(step.Name) {}})
	req := request(t, sleeper)
	h.BreakPythonForTest(filepath.Join(h.storage, "no-such-python"))
	_, err := h.Launch(t.Context(), req)
	if e := script.AsError(err); err == nil || e.Kind != script.KindLaunchFailed {
		t.Fatalf("launch: %v", err)
	}
	runs, err := h.All(t.Context(), true, 0)
	must(t, err)
	if len(runs) != 1 || runs[0].State != script.Failed || runs[0].Reason != script.ReasonLaunchFailed {
		t.Errorf("runs %+v", runs)
	}
}

// TestKilledFromOutsideIsFailed: a program that somebody kills is failed and
// names the signal; nobody asked for it, so it is not cancelled.
func TestKilledFromOutsideIsFailed(t *testing.T) {
	t.Parallel()
	h := opened(t, options{})
	run := h.start("import os, time\nprint(os.getpid(), flush=True)\ntime.sleep(600)\n")
	h.waitOutput(run, "\n")
	out, err := h.Output(t.Context(), run, -1)
	must(t, err)
	pid := atoi(t, strings.TrimSpace(out.Text))
	p, err := os.FindProcess(pid)
	must(t, err)
	must(t, p.Kill())
	end := h.terminal(run.ID)
	if end.State != script.Failed || end.ExitSignal != "SIGKILL" || !strings.Contains(end.Error, "killed from outside by SIGKILL") {
		t.Errorf("state %s, signal %s, error %q", end.State, end.ExitSignal, end.Error)
	}
}

// TestOutputIsKept: the last 64 KiB of both channels in order, after the end too
// (S26, S75).
func TestOutputIsKept(t *testing.T) {
	t.Parallel()
	h := opened(t, options{})
	run := h.start(`
import sys
for i in range(20000):
    print("out", i, flush=False) if i % 2 else print("err", i, file=sys.stderr, flush=True)
    sys.stdout.flush()
print("the end", flush=True)
`)
	end := h.terminal(run.ID)
	out, err := h.Output(t.Context(), end, -1)
	must(t, err)
	if len(out.Text) > 64<<10 || len(out.Text) < 60<<10 || !strings.HasSuffix(out.Text, "err 19998\nout 19999\nthe end\n") {
		t.Errorf("%d bytes kept, ending %q", len(out.Text), out.Text[max(0, len(out.Text)-60):])
	}
}
