package script_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"mindroom/internal/audit"
	"mindroom/internal/lifecycle/step"
	"mindroom/internal/script"
	"mindroom/internal/store"
	"mindroom/internal/tool"
)

// primaryEnv makes the test binary a primary on the storage it names, which is
// then killed. See TestKilledPrimary.
const primaryEnv = "MINDROOM_TEST_PRIMARY"

// escaper starts a child that leaves its parent, its session and its
// environment behind and ignores every signal it can.
const escaper = `
import os, subprocess, sys, time
child = "import os,signal,sys,time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nopen(sys.argv[1],'w').write(str(os.getpid()))\ntime.sleep(600)"
pidfile = os.environ["MINDROOM_SCRIPT_WORKSPACE_ROOT"] + "/escaped"
subprocess.Popen(["sh", "-c", "(setsid env -i %s -c \"$1\" %s &) &" % (sys.executable, pidfile), "sh", child])
while not (os.path.exists(pidfile) and open(pidfile).read()):
    time.sleep(0.01)
print("escaped", flush=True)
time.sleep(600)
`

// TestMainAsPrimary is the body of the process that TestKilledPrimary kills.
func TestMainAsPrimary(t *testing.T) {
	storage := os.Getenv(primaryEnv)
	if storage == "" {
		return
	}
	h := opened(t, options{storage: storage})
	run := h.start(escaper)
	h.waitOutput(run, "escaped")
	c := h.client(run)
	if a := c.call("begun", "block", `{}`, "Prefer", "wait=0"); a.body.State != "pending" {
		t.Fatalf("begun: %s", a.raw)
	}
	<-h.calls.entered
	if a := c.call("queued", "echo", `{"text":"never"}`, "Prefer", "wait=0"); a.body.State != "pending" {
		t.Fatalf("queued: %s", a.raw)
	}
	fmt.Println("READY", run.ID, c.token)
	select {}
}

// TestKilledPrimary: after a kill -9 the next start ends the whole tree, settles
// every call by what can be proven, interrupts the run, and only then admits
// (S63, S70, S72, S76).
func TestKilledPrimary(t *testing.T) {
	t.Parallel()
	storage := t.TempDir()
	cmd := exec.Command(os.Args[0], "-test.run=^TestMainAsPrimary$")
	cmd.Env = append(os.Environ(), primaryEnv+"="+storage)
	stdout, err := cmd.StdoutPipe()
	must(t, err)
	cmd.Stderr = os.Stderr
	must(t, cmd.Start())
	var id, token string
	scanner := bufio.NewScanner(stdout)
	for scanner.Scan() {
		if _, err := fmt.Sscanf(scanner.Text(), "READY %s %s", &id, &token); err == nil {
			break
		}
		t.Log(scanner.Text())
	}
	must(t, cmd.Process.Kill())
	_, _ = io.Copy(io.Discard, stdout)
	_ = cmd.Wait()
	if id == "" {
		t.Fatal("the primary never was ready")
	}
	pid := atoi(t, readFile(t, filepath.Join(storage, "workspace", "escaped")))
	if err := syscall.Kill(pid, 0); err != nil {
		t.Fatalf("the escaped child is gone before the restart: %v", err)
	}

	h := open(t, options{storage: storage})
	c := client{h, id, token}
	if a := c.call("new", "echo", `{"text":"a"}`); a.status != 404 {
		t.Errorf("an inherited capability before recovery: %d", a.status)
	}
	must(t, h.Recover(t.Context()))
	end, err := h.Find(t.Context(), id)
	must(t, err)
	if end.State != script.Interrupted || end.Reason != script.ReasonRestart {
		t.Errorf("state %s, reason %s", end.State, end.Reason)
	}
	if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("the escaped child %d lives on: %v", pid, err)
	}
	if _, err := os.Stat(filepath.Join(storage, "script_runs", id)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the run's folder is still there: %v", err)
	}
	for call, want := range map[string]struct {
		state tool.State
		retry bool
	}{"begun": {tool.StateIndeterminate, false}, "queued": {tool.StateFailed, true}} {
		state, fault := h.receiptForTest(id, call)
		if state != want.state || fault == nil || fault.Retryable != want.retry {
			t.Errorf("call %s: %s, %+v; want %+v", call, state, fault, want)
		}
	}
	records, err := audit.Of(t.Context(), h.db, id)
	must(t, err)
	ends := map[string]tool.State{}
	for _, r := range records {
		ends[r.Ref.ID] = r.State
		if r.Requester == "" || r.Name.Toolkit != "probe" || r.Digest == "" || r.Began != (r.Ref.ID == "begun") {
			t.Errorf("audit of a call that was left behind: %+v", r)
		}
	}
	if want := map[string]tool.State{"begun": tool.StateIndeterminate, "queued": tool.StateFailed}; len(records) != 2 || !maps.Equal(ends, want) {
		t.Errorf("audited %v, want %v once each", ends, want)
	}
	out, err := h.Output(t.Context(), end, -1)
	must(t, err)
	if !strings.Contains(out.Text, "escaped") {
		t.Errorf("the output is lost: %q (S75)", out.Text)
	}
	if a := c.call("later", "echo", `{"text":"a"}`); a.status != 404 {
		t.Errorf("the dead run's capability lives: %d", a.status)
	}
	h.start("print('a new run is admitted')")
}

func (h *house) receiptForTest(run, call string) (state tool.State, fault *tool.Fault) {
	h.t.Helper()
	must(h.t, h.db.Read(h.t.Context(), func(q *store.Reader) (err error) {
		state, fault, err = script.ReceiptForTest(q, run, call)
		return err
	}))
	return state, fault
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	raw, err := os.ReadFile(path)
	must(t, err)
	return string(raw)
}

// TestFenceAnswersOnlyWhoIsRecognised: while recovery is pending a live
// capability hears a retryable 503 and everybody else the uniform 404.
func TestFenceAnswersOnlyWhoIsRecognised(t *testing.T) {
	t.Parallel()
	h := opened(t, options{})
	run := h.start(sleeper)
	c := h.client(run)
	h.FenceForTest(true)
	if a := c.call("c1", "echo", `{"text":"a"}`); a.status != 503 || a.header.Get("Retry-After") == "" {
		t.Errorf("recognised: %d %s", a.status, a.raw)
	}
	if a := c.receipt("c1"); a.status != 503 {
		t.Errorf("recognised poll: %d %s", a.status, a.raw)
	}
	if a := (client{h, c.run, "wrong"}).call("c1", "echo", `{"text":"a"}`); a.status != 404 {
		t.Errorf("unknown: %d %s", a.status, a.raw)
	}
	h.FenceForTest(false)
	if a := c.call("c1", "echo", `{"text":"a"}`); a.status != 200 {
		t.Errorf("after the fence: %d %s", a.status, a.raw)
	}
}

// TestSDKOutlivesAFence: a script that calls while admission is closed goes on
// once it opens, with one execution (S69, S70).
func TestSDKOutlivesAFence(t *testing.T) {
	t.Parallel()
	h := opened(t, options{})
	run := h.start(`
import os, time
from mindroom.script_sdk import MindRoomTools
tools = MindRoomTools()
flag = os.environ["MINDROOM_SCRIPT_WORKSPACE_ROOT"] + "/go"
print("up", flush=True)
while not os.path.exists(flag): time.sleep(0.01)
print(tools.call("probe", "echo", text="through"), flush=True)
`)
	h.waitOutput(run, "up")
	h.FenceForTest(true)
	must(t, os.WriteFile(filepath.Join(h.storage, "workspace", "go"), nil, 0o600))
	h.RefusalsForTest(3)
	h.FenceForTest(false)
	end := h.terminal(run.ID)
	out, err := h.Output(t.Context(), end, -1)
	must(t, err)
	if end.State != script.Exited || !strings.Contains(out.Text, "through") || h.calls.count("probe.echo") != 1 {
		t.Errorf("state %s, calls %d, output %q", end.State, h.calls.count("probe.echo"), out.Text)
	}
}

// TestCancelInterruptsCalls: of a cancelled run what began is indeterminate and
// what waited is failed, never cancelled (S76).
func TestCancelInterruptsCalls(t *testing.T) {
	t.Parallel()
	h := opened(t, options{})
	run := h.start(sleeper)
	c := h.client(run)
	c.call("begun", "block", `{}`, "Prefer", "wait=0")
	<-h.calls.entered
	c.call("queued", "echo", `{"text":"a"}`, "Prefer", "wait=0")
	end, err := h.Cancel(t.Context(), owner(anna), string(run.ID), true)
	must(t, err)
	if end.State != script.Cancelled {
		t.Errorf("state %s", end.State)
	}
	if state, fault := h.receiptForTest(string(run.ID), "begun"); state != tool.StateIndeterminate || fault.Kind != tool.FaultIndeterminate {
		t.Errorf("begun: %s %+v", state, fault)
	}
	if state, fault := h.receiptForTest(string(run.ID), "queued"); state != tool.StateFailed || fault.Kind != tool.FaultRevoked {
		t.Errorf("queued: %s %+v", state, fault)
	}
	if n := h.calls.count("probe.echo"); n != 0 {
		t.Errorf("a queued call of a cancelled run ran %d times", n)
	}
}

// TestAuthorityLossEndsRuns (S15, S16): revoked by the next pass, interrupted.
func TestAuthorityLossEndsRuns(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*house)
		reason script.Reason
	}{
		"access lost":   {func(h *house) { h.authority.set(tool.No) }, script.ReasonAuthorisation},
		"agent removed": {func(h *house) { h.publish(strings.Replace(houseYAML, "  watcher:", "  keeper:", 1)) }, script.ReasonAgentRemoved},
		"tool removed":  {func(h *house) { h.publish(strings.Replace(houseYAML, "[script, probe, second", "[probe, second", 1)) }, script.ReasonToolRemoved},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := opened(t, options{})
			run := h.start(sleeper)
			h.authority.set(tool.CannotTell)
			h.Pass(t.Context())
			if r, err := h.Find(t.Context(), string(run.ID)); err != nil || r.Revoked() {
				t.Fatalf("what cannot be told ended the run: %+v, %v", r, err)
			}
			h.authority.set(tool.Yes)
			c.change(h)
			h.Pass(t.Context())
			end := h.terminal(run.ID)
			if end.State != script.Interrupted || end.Reason != c.reason {
				t.Errorf("state %s, reason %s", end.State, end.Reason)
			}
		})
	}
}

func (h *house) publish(yaml string) {
	h.t.Helper()
	_, err := h.holder.Publish(load(h.t, h.registry, yaml))
	must(h.t, err)
}

// TestRetention prunes terminal runs after the window, with their receipts and
// output, and nothing else (S77).
func TestRetention(t *testing.T) {
	t.Parallel()
	h := opened(t, options{retain: 300 * time.Millisecond})
	done, lives := h.start("print('bye')"), h.start(sleeper)
	h.terminal(done.ID)
	deadline := time.After(10 * time.Second)
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		h.Pass(t.Context())
		if _, err := h.Find(t.Context(), string(done.ID)); err != nil {
			break
		}
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatal("the terminal run is never pruned")
		}
	}
	if r, err := h.Find(t.Context(), string(lives.ID)); err != nil || r.State != script.Running {
		t.Errorf("a live run: %+v, %v", r, err)
	}
}

// TestShutdownLetsBegunCallsFinish and ends everything else: runs interrupted,
// receipts true (S74).
func TestShutdownLetsBegunCallsFinish(t *testing.T) {
	t.Parallel()
	h := opened(t, options{})
	run := h.start(sleeper)
	c := h.client(run)
	c.call("begun", "block", `{}`, "Prefer", "wait=0")
	<-h.calls.entered
	h.onStep(step.RunRevoked, func() { close(h.calls.hold) })
	must(t, h.Shutdown(t.Context()))
	end, err := h.Find(t.Context(), string(run.ID))
	must(t, err)
	if end.State != script.Interrupted || end.Reason != script.ReasonShutdown {
		t.Errorf("state %s, reason %s", end.State, end.Reason)
	}
	if state, fault := h.receiptForTest(string(run.ID), "begun"); state != tool.StateCompleted {
		t.Errorf("begun: %s %+v", state, fault)
	}
	if _, err := h.Launch(t.Context(), request(t, sleeper)); script.AsError(err).Kind != script.KindShuttingDown {
		t.Errorf("a launch after shutdown: %v", err)
	}
}
