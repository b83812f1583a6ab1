//go:build linux

package supervise_test

import (
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"mindroom/internal/supervise"
)

// Invariants 2 and 4 of package guard: whatever ends a tree, and whatever the tree did to get away, nothing of it is left when it is called dead.
func TestNothingIsLeft(t *testing.T) {
	t.Parallel()
	ends := []struct {
		name  string
		after string // what the leader does once its children are there
		spec  func(*supervise.Spec)
		end   supervise.EndMode
		cause supervise.Cause
	}{
		{name: "exit", after: "exit 0", cause: supervise.CauseExited},
		{name: "cancel", after: "wait", end: supervise.EndGraceful, cause: supervise.CauseCancelled},
		{name: "force", after: "wait", end: supervise.EndForce, cause: supervise.CauseKilled},
		{name: "deaf leader", after: "trap '' TERM; wait; sleep 1000", end: supervise.EndGraceful, cause: supervise.CauseCancelled},
		{name: "deadline", after: "wait", spec: func(s *supervise.Spec) { s.Deadline = 700 * time.Millisecond }, cause: supervise.CauseDeadline},
	}
	for _, level := range levels(t) {
		for _, e := range ends {
			t.Run(string(level)+"/"+e.name, func(t *testing.T) {
				t.Parallel()
				nap, alive := mark(t)
				spec := sh(escape(nap) + "sleep 0.3; echo ready; " + e.after)
				spec.MaxLevel = level
				if e.spec != nil {
					e.spec(&spec)
				}
				p := start(t, spec)
				awaitOutput(t, p, "ready")
				if e.end != "" {
					if n := len(alive()); n != escapees {
						t.Errorf("%d naps before the end, want %d", n, escapees)
					}
					if err := p.End(bounded(t), e.end); err != nil {
						t.Fatal(err)
					}
				}
				r := record(t, p)
				if left := alive(); len(left) > 0 {
					t.Errorf("still alive after death: %v", left)
				}
				if r.Cause != e.cause || r.Level != level || r.Proof != "reaped" {
					t.Errorf("record: cause %s, level %s, proof %s; want %s, %s, reaped", r.Cause, r.Level, r.Proof, e.cause, level)
				}
			})
		}
	}
}

// S28: a graceful end lets a handler finish its work, once.
func TestGracefulEndRunsTheHandlerOnce(t *testing.T) {
	t.Parallel()
	spec := sh(`trap 'echo bye; sleep 0.1; echo done; exit 7' TERM; echo ready; while :; do sleep 0.05; done`)
	spec.Grace = patience
	p := start(t, spec)
	awaitOutput(t, p, "ready")
	for range 2 { // a second request changes nothing
		if err := p.End(bounded(t), supervise.EndGraceful); err != nil {
			t.Fatal(err)
		}
	}
	r := record(t, p)
	// The shell may also say that its own sleep was terminated.
	if strings.Count(r.Tail, "bye\n") != 1 || strings.Count(r.Tail, "done\n") != 1 || r.Exit.Code == nil || *r.Exit.Code != 7 || r.Cause != supervise.CauseCancelled {
		t.Errorf("got %q, exit %+v, cause %s", r.Tail, r.Exit, r.Cause)
	}
}

// A force after a graceful request cuts its grace short, and the first cause stays.
func TestForceCutsTheGraceShort(t *testing.T) {
	t.Parallel()
	spec := sh(`trap '' TERM; echo ready; while :; do sleep 0.05; done`)
	spec.Grace = time.Hour
	p := start(t, spec)
	awaitOutput(t, p, "ready")
	for _, m := range []supervise.EndMode{supervise.EndGraceful, supervise.EndForce} {
		if err := p.End(bounded(t), m); err != nil {
			t.Fatal(err)
		}
	}
	r := record(t, p)
	if r.Cause != supervise.CauseCancelled || r.Exit.Signal != "SIGKILL" || *r.Exit.Code != -9 {
		t.Errorf("cause %s, exit %+v", r.Cause, r.Exit)
	}
}

// Escalation is gated on the tree: the leader heeds SIGTERM, its child does not.
func TestGraceIsForTheTreeNotForTheLeader(t *testing.T) {
	t.Parallel()
	nap, alive := mark(t)
	p := start(t, sh(`(trap '' TERM; exec `+nap+` 1000) & sleep 0.2; echo ready; wait`))
	awaitOutput(t, p, "ready")
	if err := p.End(bounded(t), supervise.EndGraceful); err != nil {
		t.Fatal(err)
	}
	wait(t, "leader's exit", p.Exited())
	if r := record(t, p); r.Exit.Signal != "SIGTERM" || len(alive()) > 0 {
		t.Errorf("exit %+v, alive %v", r.Exit, alive())
	}
}

// A leader that is stopped is woken to hear the end, and the deadline needs no leader that runs.
func TestStoppedLeaderEnds(t *testing.T) {
	t.Parallel()
	spec := sh(`trap 'echo heard; exit 3' TERM; echo ready; kill -STOP $$; while :; do sleep 0.05; done`)
	spec.Deadline, spec.Grace = 500*time.Millisecond, patience
	p := start(t, spec)
	r := record(t, p)
	if r.Cause != supervise.CauseDeadline || r.Tail != "ready\nheard\n" || *r.Exit.Code != 3 {
		t.Errorf("cause %s, output %q, exit %+v", r.Cause, r.Tail, r.Exit)
	}
}

// Somebody else's kill -9 is told as what it is.
func TestKilledFromOutside(t *testing.T) {
	t.Parallel()
	nap, alive := mark(t)
	p := start(t, sh(`setsid `+nap+` 1000 & echo ready; wait`))
	awaitOutput(t, p, "ready")
	s, err := p.Status(bounded(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(s.Pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	r := record(t, p)
	if r.Cause != supervise.CauseSignalled || r.Exit.Signal != "SIGKILL" || *r.Exit.Code != -9 || len(alive()) > 0 {
		t.Errorf("cause %s, exit %+v, alive %v", r.Cause, r.Exit, alive())
	}
}

// A program that forks as fast as it can is bounded, and loses.
func TestForkBomb(t *testing.T) {
	t.Parallel()
	c, err := supervise.Probe()
	if err != nil {
		t.Fatal(err)
	}
	if c.Limit != supervise.LimitPids {
		t.Logf("no pids cgroup here (%v): an unbounded fork bomb is not started", c.Notes)
		return
	}
	for _, level := range levels(t) {
		t.Run(string(level), func(t *testing.T) {
			t.Parallel()
			spec := sh(`bomb() { bomb | bomb & }; echo ready; bomb 2>/dev/null; exec sleep 1000`)
			spec.MaxLevel, spec.MaxProcs = level, 60
			p := start(t, spec)
			awaitOutput(t, p, "ready")
			if err := p.End(bounded(t), supervise.EndForce); err != nil {
				t.Fatal(err)
			}
			s, err := p.Status(bounded(t))
			if err != nil {
				t.Fatal(err)
			}
			if s.Limit != supervise.LimitPids || s.Procs > 60 {
				t.Errorf("limit %s, %d processes, want at most 60 by pids", s.Limit, s.Procs)
			}
			record(t, p)
		})
	}
}

// SIGTERM to the supervisor ends its tree; hang-up and interrupt do not touch it, nor does the leader inherit their being ignored.
func TestSupervisorSignals(t *testing.T) {
	t.Parallel()
	spec := sh(`grep SigIgn /proc/self/status; echo ready; sleep 1000`)
	spec.RunDir = runDir(t)
	p := start(t, spec)
	awaitOutput(t, p, "ready")
	sup := supervisorOf(t, spec.RunDir).Supervisor.Pid
	for _, sig := range []syscall.Signal{syscall.SIGHUP, syscall.SIGINT} {
		if err := syscall.Kill(sup, sig); err != nil {
			t.Fatal(err)
		}
	}
	if s, err := p.Status(bounded(t)); err != nil || s.Phase != supervise.PhaseRunning {
		t.Fatalf("after hang-up: %+v, %v", s, err)
	}
	if err := syscall.Kill(sup, syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	r := record(t, p)
	if r.Cause != supervise.CauseKilled {
		t.Errorf("cause %s", r.Cause)
	}
	// What this process was started with (make and nohup ignore some) may be
	// inherited; the supervisor adds nothing of its own.
	if leader, own := ignoredIn(t, r.Tail), ignoredIn(t, ownStatus(t)); leader&^own != 0 {
		t.Errorf("the leader ignores %#x, this process only %#x", leader, own)
	}
}

// ignoredIn is the mask of ignored signals in what the kernel says of a process.
func ignoredIn(t *testing.T, status string) uint64 {
	t.Helper()
	for line := range strings.Lines(status) {
		if mask, ok := strings.CutPrefix(line, "SigIgn:"); ok {
			n, err := strconv.ParseUint(strings.TrimSpace(mask), 16, 64)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
	}
	t.Fatalf("nothing of ignored signals in %q", status)
	return 0
}

func ownStatus(t *testing.T) string {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	return string(status)
}

// A supervisor that somebody stopped is woken to hear the end.
func TestStoppedSupervisorHearsTheEnd(t *testing.T) {
	t.Parallel()
	nap, alive := mark(t)
	p := start(t, sh(nap+" 1000"))
	until(t, "child", func() bool { return len(alive()) == 1 })
	s, err := p.Status(bounded(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(parentOf(t, s.Pid), syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	if err := p.End(bounded(t), supervise.EndForce); err != nil {
		t.Fatal(err)
	}
	if r := record(t, p); r.Cause != supervise.CauseKilled || len(alive()) > 0 {
		t.Errorf("cause %s, alive %v", r.Cause, alive())
	}
}

// Whoever calls it, and however often, Close returns when all is gone; what is asked afterwards is answered from the record.
func TestCloseByMany(t *testing.T) {
	t.Parallel()
	p := start(t, sh("echo hi; sleep 1000"))
	awaitOutput(t, p, "hi")
	errs := make(chan error)
	for range 4 {
		go func() { errs <- p.Close(bounded(t)) }()
	}
	for range 4 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	if s, err := p.Status(bounded(t)); err != nil || s.Phase != supervise.PhaseDead || s.OutputTotal != 3 {
		t.Errorf("status %+v, %v", s, err)
	}
	if err := p.End(bounded(t), supervise.EndForce); err != nil {
		t.Error(err)
	}
	if _, err := p.Output(); kindOf(err) != supervise.KindClosed {
		t.Errorf("output after close: %v", err)
	}
}
