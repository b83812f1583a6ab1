//go:build linux

package supervise_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"mindroom/internal/supervise"
)

// S05: the deadline is the supervisor's own; the primary may be stopped or dead.
func TestDeadlineWithoutPrimary(t *testing.T) {
	t.Parallel()
	for name, sig := range map[string]syscall.Signal{"stopped": syscall.SIGSTOP, "killed": syscall.SIGKILL} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			nap, alive := mark(t)
			spec := sh(escape(nap) + `trap '' TERM; wait; exec ` + nap + ` 1009`)
			spec.RunDir, spec.Deadline, spec.OrphanGrace = runDir(t), time.Second, time.Hour
			pr := startPrimary(t, spec)
			if err := pr.cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			until(t, "exit record", func() bool { return exists(filepath.Join(spec.RunDir, "exit.json")) })
			if left := alive(); len(left) > 0 {
				t.Errorf("alive after the record: %v", left)
			}
			r, err := supervise.Reclaim(bounded(t), spec.RunDir)
			if err != nil || r.Cause != supervise.CauseDeadline {
				t.Errorf("cause %s, %v", r.Cause, err)
			}
		})
	}
}

// A tree outlives its primary for the grace it was given, and no longer.
func TestOrphanGrace(t *testing.T) {
	t.Parallel()
	for name, grace := range map[string]time.Duration{"none": 0, "some": 400 * time.Millisecond} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			nap, alive := mark(t)
			spec := sh(escape(nap) + `wait`)
			spec.RunDir, spec.OrphanGrace = runDir(t), grace
			pr := startPrimary(t, spec)
			until(t, "children", func() bool { return len(alive()) == escapees })
			died := time.Now()
			pr.kill()
			until(t, "exit record", func() bool { return exists(filepath.Join(spec.RunDir, "exit.json")) })
			if d := time.Since(died); d < grace {
				t.Errorf("ended %v after its primary, the grace is %v", d, grace)
			}
			r, err := supervise.Reclaim(bounded(t), spec.RunDir)
			if err != nil || r.Cause != supervise.CauseOrphaned || len(alive()) > 0 {
				t.Errorf("cause %s, alive %v, %v", r.Cause, alive(), err)
			}
		})
	}
}

// S74: a new primary ends what an earlier one left running, though the supervisor is stopped.
func TestReclaimFromLivingSupervisor(t *testing.T) {
	t.Parallel()
	for _, stopped := range []bool{false, true} {
		nap, alive := mark(t)
		spec := sh(escape(nap) + `echo said; wait`)
		spec.RunDir, spec.OrphanGrace = runDir(t), time.Hour
		pr := startPrimary(t, spec)
		until(t, "children", func() bool { return len(alive()) == escapees })
		pr.kill()
		if stopped {
			if err := syscall.Kill(supervisorOf(t, spec.RunDir).Supervisor.Pid, syscall.SIGSTOP); err != nil {
				t.Fatal(err)
			}
		}
		r, err := supervise.Reclaim(bounded(t), spec.RunDir)
		if err != nil || r.Cause != supervise.CauseOrphaned || r.Proof != "reaped" || r.Tail != "said\n" {
			t.Errorf("stopped %v: cause %s, proof %s, tail %q, %v", stopped, r.Cause, r.Proof, r.Tail, err)
		}
		if left := alive(); len(left) > 0 {
			t.Errorf("alive: %v", left)
		}
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
