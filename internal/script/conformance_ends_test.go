package script_test

import (
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"

	"mindroom/internal/script"
	"mindroom/internal/worker"
)

// A supervisor that is lost, or told by a stranger to end, interrupts the run; what
// is left of its tree is ended, and nothing is started again. Nobody cancelled it
// (S59, S71).
func TestConformanceALostSupervisorInterrupts(t *testing.T) {
	t.Parallel()
	for _, sig := range []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			h := opened(t, options{})
			run := h.start("import os, time\nprint(os.getppid(), os.getpid(), flush=True)\ntime.sleep(600)\n")
			h.waitOutput(run, "\n")
			out, err := h.Output(t.Context(), run, -1)
			must(t, err)
			pids := strings.Fields(out.Text)
			must(t, syscall.Kill(atoi(t, pids[0]), sig))
			end := h.terminal(run.ID)
			if end.State != script.Interrupted || end.Reason != script.ReasonSupervisor {
				t.Errorf("state %s, reason %s, error %q", end.State, end.Reason, end.Error)
			}
			// Whoever inherits it may not have reaped it yet; then nothing of it is left to read.
			if args, err := os.ReadFile("/proc/" + pids[1] + "/cmdline"); err == nil && len(args) > 0 {
				t.Errorf("the program %s lives on: %q", pids[1], args)
			}
			h.Pass(t.Context())
			runs, err := h.All(t.Context(), true, 0)
			must(t, err)
			if len(runs) != 1 || runs[0].State != script.Interrupted {
				t.Errorf("afterwards there are %d runs, the first %s", len(runs), runs[0].State)
			}
		})
	}
}

// A stop that cannot confirm an end leaves the run revoked and not final, for the
// next start (S74).
func TestConformanceAStopLeavesWhatItCannotConfirm(t *testing.T) {
	t.Parallel()
	h := opened(t, options{})
	u := &unprovable{}
	u.left.Store(1)
	h.WrapBackendForTest(func(b worker.Backend) worker.Backend { u.Backend = b; return u })
	run := h.start(sleeper)
	c := h.client(run)
	must(t, h.Shutdown(t.Context()))
	left, err := h.Find(t.Context(), string(run.ID))
	must(t, err)
	if left.State.Terminal() || !left.Revoked() || left.Reason != script.ReasonShutdown {
		t.Errorf("state %s, revoked %v, reason %s", left.State, left.Revoked(), left.Reason)
	}
	if got := c.call("c1", "echo", `{"text":"a"}`); got.status != http.StatusNotFound {
		t.Errorf("the capability lives: %d", got.status)
	}
}
