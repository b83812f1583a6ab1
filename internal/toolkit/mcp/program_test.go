package mcp

import (
	"context"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"mindroom/internal/tool"
)

func TestResultsOfAProgram(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.follow(r.program("files"))
	if got := r.result("files", "files_echo", map[string]any{"text": "hej"}); got.Text != `{"text":"hej"}` {
		t.Errorf("echo = %+v", got)
	}
	out := r.call(t.Context(), "files", "files_data", map[string]any{})
	if out.State != tool.StateCompleted || len(out.Media) != 1 || out.Media[0].MIME != "image/png" ||
		!strings.Contains(string(out.Value), `"structured":{"n":7}`) || !strings.Contains(string(out.Value), `"text":"a picture"`) {
		t.Errorf("data = %s %v", out.Value, out)
	}
	if got := r.result("files", "files_much", nil); len(got.Text) != maxText || len(got.Notes) != 1 {
		t.Errorf("much has %d bytes and %v", len(got.Text), got.Notes)
	}
	for function, want := range map[string]string{"files_fail": "no such record", "files_refuse": "refused inside"} {
		out := r.call(t.Context(), "files", function, map[string]any{})
		if out.Fault == nil || out.Fault.Kind != tool.FaultTool || !strings.Contains(out.Fault.Message, want) {
			t.Errorf("%s = %s %v", function, out.State, out.Fault)
		}
	}
	if r.has("files", "files_remote") {
		t.Error("a tool whose schema refers to the network is offered")
	}
	until(t, "the reason is logged", func() bool { return strings.Contains(r.log.String(), "is not fetched") })
	until(t, "the server's own words are logged", func() bool { return strings.Contains(r.log.String(), "the test server says hello") })
}

// A program sees the variables configured, and none of ours that is not on the list.
func TestEnvironmentOfAProgram(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.follow(r.program("files"))
	text := r.result("files", "files_where", nil).Text
	if !strings.Contains(text, "TOKEN=tok-8471-abcdef") || strings.Contains(text, "PROVIDER_KEY") {
		t.Errorf("it sees %s", text)
	}
}

// A cancelled call is told to the server and is indeterminate; so is one that takes too long.
func TestHangingCall(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	impatient := r.program("impatient")
	impatient.Timeout = 50 * time.Millisecond
	r.follow(r.program("files"), impatient)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	watch := time.AfterFunc(0, func() {
		for end := time.Now().Add(patience); !r.wrote("hanging") && time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
		}
		cancel()
	})
	defer watch.Stop()
	if out := r.call(ctx, "files", "files_hang", nil); out.State != tool.StateIndeterminate {
		t.Errorf("a cancelled call = %s %v", out.State, out.Fault)
	}
	until(t, "the server hears it", func() bool { return r.wrote("cancelled") })
	out := r.call(t.Context(), "impatient", "impatient_hang", nil)
	if out.State != tool.StateIndeterminate || !strings.Contains(out.Fault.Message, "did not answer within") {
		t.Errorf("a hanging call = %s %v", out.State, out.Fault)
	}
	if got := r.result("files", "files_echo", nil); got.Text == "" {
		t.Error("the server is of no use afterwards")
	}
}

// A server that dies in a call leaves that call indeterminate, and comes back.
func TestServerDies(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.follow(r.program("files"))
	if out := r.call(t.Context(), "files", "files_die", nil); out.State != tool.StateIndeterminate {
		t.Errorf("die = %s %v", out.State, out.Fault)
	}
	until(t, "it is seen", func() bool { return strings.Contains(r.log.String(), "is tried again") })
	if out := r.call(t.Context(), "files", "files_echo", nil); out.State == tool.StateFailed &&
		(out.Fault.Kind != tool.FaultUnavailable || !out.Fault.Retryable || !strings.Contains(out.Fault.Message, "files is down")) {
		t.Errorf("echo of a server that is down = %s %v", out.State, out.Fault)
	}
	r.connected("files")
	if got := r.result("files", "files_echo", nil); got.Text == "" {
		t.Error("the server is of no use afterwards")
	}
}

func TestToolsChange(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.follow(r.program("files"), r.program("other"))
	version, other := r.servers.Version("mcp_files"), r.servers.Version("mcp_other")
	r.result("files", "files_grow", nil)
	until(t, "the new tool is offered", func() bool { return r.has("files", "files_grown") })
	if r.servers.Version("mcp_files") == version || r.servers.Version("mcp_other") != other {
		t.Error("the toolkit that changed, and it alone, has another version")
	}
	if got := r.result("files", "files_grown", nil); got.Text != "grown" {
		t.Errorf("grown = %+v", got)
	}
}

// A change of the configuration restarts what it changes and nothing else, and what is gone leaves no process.
func TestFollow(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	one, two := r.program("one"), r.program("two")
	r.follow(one, two)
	first, second := r.pid("one"), r.pid("two")
	two.Exclude = []string{"fail"}
	r.servers.Follow(configured(one, two))
	until(t, "the old process is gone", func() bool { return gone(second) })
	r.connected("two")
	if r.pid("one") != first || r.has("two", "two_fail") || r.pid("two") == second {
		t.Errorf("processes were %d and %d, are %d and %d", first, second, r.pid("one"), r.pid("two"))
	}
	second = r.pid("two")
	r.servers.Follow(configured(one))
	until(t, "the dropped server's process is gone", func() bool { return gone(second) })
	if _, err := r.servers.functions("two"); err == nil {
		t.Error("a dropped server has functions")
	}
	r.close()
	if !gone(first) {
		t.Error("a process is left after Close")
	}
}

// A server that never answers, or cannot be started, has no functions and says why.
func TestServerNeverUp(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	silent, missing, unset := r.program("silent"), r.program("missing"), r.program("unset")
	silent.Command, silent.Args, silent.Startup = "sleep", []string{"1000"}, 100*time.Millisecond
	missing.Command = "no-such-program"
	unset.Env["X"] = "${NOT_SET}"
	r.servers.Follow(configured(silent, missing, unset))
	for name, want := range map[string]string{"silent": "did not answer within", "missing": "install it", "unset": "NOT_SET is not set"} {
		until(t, name+" says why", func() bool {
			_, err := r.servers.functions(name)
			return err != nil && strings.Contains(err.Error(), want)
		})
	}
}

func (r *rig) pid(server string) int {
	r.t.Helper()
	head, _, _ := strings.Cut(r.result(server, server+"_where", nil).Text, "\n")
	pid, err := strconv.Atoi(head)
	if err != nil {
		r.t.Fatal(err)
	}
	return pid
}

func gone(pid int) bool { return syscall.Kill(pid, 0) == syscall.ESRCH }
