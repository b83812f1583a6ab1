package script_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"mindroom/internal/script"
	"mindroom/internal/store"
	"mindroom/internal/supervise/rundir"
)

// disk makes commits fail from the n-th on until it is free again.
type disk struct {
	mu      sync.Mutex
	kind    store.Kind
	from, n int
	failed  int
}

// fills has the database's disk fail from the n-th commit on; 1 is the next.
func (h *house) fills(kind store.Kind, n int) *disk {
	d := &disk{kind: kind, from: n}
	h.db.SetFault(func(p store.Point) error {
		if p != store.BeforeCommit {
			return nil
		}
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.n++; d.n < d.from {
			return nil
		}
		d.failed++
		return &store.Error{Kind: d.kind, Err: fmt.Errorf("commit %d", d.n)}
	})
	return d
}

// freed lets the disk work again and reports whether anything had failed.
func (h *house) freed(d *disk) bool {
	h.db.SetFault(nil)
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.failed > 0
}

// settled passes until no run is open.
func (h *house) settled() {
	h.t.Helper()
	h.passes("every run is terminal", func() bool {
		open, err := h.All(h.t.Context(), false, 0)
		must(h.t, err)
		return len(open) == 0
	})
}

// passes has the manager pass until ok.
func (h *house) passes(what string, ok func() bool) {
	h.t.Helper()
	deadline := time.After(30 * time.Second)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
			h.Pass(h.t.Context())
		case <-deadline:
			h.t.Fatalf("never: %s", what)
		}
	}
}

// nothingLeft holds that no process and no folder of a run is left.
func (h *house) nothingLeft() {
	h.t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	must(h.t, err)
	for _, file := range files {
		if raw, err := os.ReadFile(file); err == nil && bytes.Contains(raw, []byte("MINDROOM_SCRIPT_SNAPSHOT_ROOT="+h.storage)) {
			h.t.Errorf("a process is left: %s", file)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(h.storage, "script_runs", "*")); len(left) != 0 {
		h.t.Errorf("folders are left: %v", left)
	}
}

var broken = []store.Kind{store.Full, store.ReadOnly}

// A launch on a disk that stops working at any of its commits is refused or
// ended, and nothing of it is left once the disk works again.
func TestLaunchOnAFullDisk(t *testing.T) {
	t.Parallel()
	for _, kind := range broken {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			h := opened(t, options{})
			for n := 1; ; n++ {
				d := h.fills(kind, n)
				run, err := h.Launch(t.Context(), request(t, sleeper))
				if !h.freed(d) {
					must(t, err)
					if n < 3 {
						t.Errorf("a launch has %d commits; insert and publish at least were expected", n-1)
					}
					_, err = h.Cancel(t.Context(), owner(anna), string(run.ID), true)
					must(t, err)
					return
				}
				if err == nil {
					t.Errorf("commit %d failed, and the launch did not", n)
				}
				h.settled()
				h.nothingLeft()
				all, err := h.All(t.Context(), true, 0)
				must(t, err)
				for _, r := range all {
					if r.State != script.Failed && r.State != script.Interrupted {
						t.Errorf("commit %d: the run is %s (%s)", n, r.State, r.Reason)
					}
				}
			}
		})
	}
}

// A script that ends while nothing can be written is settled as it ended once it
// can.
func TestExitOnAFullDisk(t *testing.T) {
	t.Parallel()
	for _, kind := range broken {
		for n := 1; n <= 2; n++ {
			t.Run(fmt.Sprintf("%s at commit %d", kind, n), func(t *testing.T) {
				t.Parallel()
				h := opened(t, options{})
				flag := filepath.Join(h.storage, "go")
				run := h.start(fmt.Sprintf("import os, time\nprint('up', flush=True)\nwhile not os.path.exists(%q): time.sleep(0.01)\n", flag))
				h.waitOutput(run, "up")
				d := h.fills(kind, n)
				must(t, os.WriteFile(flag, nil, 0o600))
				<-h.backend.Ended(run.ID)
				h.passes("a commit fails", func() bool {
					d.mu.Lock()
					defer d.mu.Unlock()
					return d.failed > 0
				})
				h.freed(d)
				h.settled()
				h.nothingLeft()
				end, err := h.Find(t.Context(), string(run.ID))
				must(t, err)
				if end.State != script.Exited || end.Reason != script.ReasonProcessExit {
					t.Errorf("the run is %s (%s)", end.State, end.Reason)
				}
			})
		}
	}
}

// A call on a disk that stops working at any of its commits runs at most once,
// and its receipt does not claim more than is known.
func TestCallOnAFullDisk(t *testing.T) {
	t.Parallel()
	for _, kind := range broken {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			h := opened(t, options{})
			run := h.start(sleeper)
			c := h.client(run)
			for n := 1; ; n++ {
				before := h.calls.count("probe.echo")
				id := fmt.Sprintf("call-%d", n)
				d := h.fills(kind, n)
				first := c.call(id, "echo", `{"text":"a"}`)
				if !h.freed(d) {
					if first.body.State != "completed" {
						t.Errorf("with a good disk: %s", first.raw)
					}
					if n < 3 {
						t.Errorf("a call has %d commits; a claim and an end were expected", n-1)
					}
					return
				}
				if first.status == 200 && first.body.State == "completed" {
					t.Errorf("commit %d failed, and the call completed: %s", n, first.raw)
				}
				ran := h.calls.count("probe.echo") - before
				// The same call again, as a client that heard 503 makes it.
				again := c.call(id, "echo", `{"text":"a"}`)
				total := h.calls.count("probe.echo") - before
				if total > 1 {
					t.Errorf("commit %d: it ran %d times", n, total)
				}
				switch state := again.body.State; {
				case ran == 0 && state == "completed" && total == 1: // it had left nothing, and was made anew
				case ran == 0 && state == "failed" && total == 0:
				case ran == 1 && state == "indeterminate":
				default:
					t.Errorf("commit %d: it ran %d times before, %d in all, and is %s", n, ran, total, again.raw)
				}
			}
		})
	}
}

// A cancellation that cannot be stored is refused and changes nothing.
func TestCancelOnAFullDisk(t *testing.T) {
	t.Parallel()
	h := opened(t, options{})
	run := h.start(sleeper)
	d := h.fills(store.Full, 1)
	if _, err := h.Cancel(t.Context(), owner(anna), string(run.ID), true); err == nil {
		t.Error("it was accepted")
	}
	h.freed(d)
	if a := h.client(run).call("c", "echo", `{"text":"a"}`); a.body.State != "completed" {
		t.Errorf("the run's calls are closed: %s", a.raw)
	}
	end, err := h.Cancel(t.Context(), owner(anna), string(run.ID), true)
	must(t, err)
	if end.State != script.Cancelled {
		t.Errorf("the run is %s", end.State)
	}
}

// jumping is a wall clock that is set.
type jumping struct{ off atomic.Int64 }

func (j *jumping) now() time.Time { return time.Now().Add(time.Duration(j.off.Load())) }

var jumps = map[string]time.Duration{"ahead": 40 * 24 * time.Hour, "back": -40 * 24 * time.Hour}

// A clock that is set by days ends no healthy run, opens no quota and deletes
// nothing.
func TestClockJumpHarmsNothing(t *testing.T) {
	t.Parallel()
	for name, jump := range jumps {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			clock := &jumping{}
			h := opened(t, options{now: clock.now})
			done := h.start("print('bye')")
			h.terminal(done.ID)
			req := request(t, sleeper)
			req.MaxCallsPerMinute = 2
			run, err := h.Launch(t.Context(), req)
			must(t, err)
			c := h.client(run)
			c.call("1", "echo", `{"text":"a"}`)
			c.call("2", "echo", `{"text":"a"}`)
			clock.off.Store(int64(jump))
			h.Pass(t.Context())
			if a := c.call("3", "echo", `{"text":"a"}`); a.status != 429 {
				t.Errorf("a third call of two a minute: %d", a.status)
			}
			if r, err := h.Find(t.Context(), string(run.ID)); err != nil || r.State != script.Running || r.Revoked() {
				t.Errorf("the healthy run: %+v, %v", r, err)
			}
			if _, err := h.Find(t.Context(), string(done.ID)); err != nil {
				t.Errorf("the ended run is pruned: %v", err)
			}
		})
	}
}

// A clock that is set by days keeps no run beyond its time: the supervisor ends
// it, and the primary where the supervisor does not.
func TestClockJumpKeepsNoOverdueRun(t *testing.T) {
	t.Parallel()
	for name, jump := range jumps {
		for _, asleep := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, supervisor asleep: %v", name, asleep), func(t *testing.T) {
				t.Parallel()
				clock := &jumping{}
				h := opened(t, options{now: clock.now})
				req := request(t, sleeper)
				req.MaxRuntime = time.Second
				run, err := h.Launch(t.Context(), req)
				must(t, err)
				clock.off.Store(int64(jump))
				if asleep {
					id, err := rundir.Dir(filepath.Join(h.storage, "script_runs", string(run.ID), "supervisor")).ReadIdentity()
					must(t, err)
					must(t, syscall.Kill(id.Supervisor.Pid, syscall.SIGSTOP))
				}
				h.settled()
				h.nothingLeft()
				end, err := h.Find(t.Context(), string(run.ID))
				must(t, err)
				if end.State != script.Interrupted || end.Reason != script.ReasonMaxRuntime {
					t.Errorf("the run is %s (%s)", end.State, end.Reason)
				}
			})
		}
	}
}
