//go:build linux

package supervise_test

import (
	"errors"
	"strings"
	"syscall"
	"testing"

	"pgregory.net/rapid"

	"mindroom/internal/supervise"
	"mindroom/internal/supervise/proc"
)

// Whatever is asked in whatever order, and whoever is killed or stopped meanwhile: the tree ends, nothing is left, the record fits what was done first.
func TestAnySchedule(t *testing.T) {
	t.Parallel()
	nap, alive := mark(t)
	offered := levels(t)
	rapid.Check(t, func(rt *rapid.T) {
		spec := sh(strings.ReplaceAll(rapid.SampledFrom([]string{
			"NAP 1000", "NAP 1000 & echo a", "(setsid NAP 1000 &); trap '' TERM; echo a; NAP 1001; NAP 1002", "echo a", "exec NAP 1000",
			"trap 'exit 9' TERM; setsid NAP 1000 & wait",
		}).Draw(rt, "program"), "NAP", nap))
		spec.Grace = 20e6
		spec.MaxLevel = rapid.SampledFrom(offered).Draw(rt, "level")
		spec.OnLeaderExit = rapid.SampledFrom([]supervise.LeaderExit{supervise.LeaderExitKill, supervise.LeaderExitKeep}).Draw(rt, "on exit")
		if rapid.Bool().Draw(rt, "deadline") {
			spec.Deadline = 50e6
		}
		if rapid.Bool().Draw(rt, "durable") {
			spec.RunDir = runDir(t)
		}
		p, err := supervise.Start(bounded(t), spec)
		if err != nil {
			rt.Fatal(err)
		}
		possible := map[supervise.Cause]bool{supervise.CauseExited: true}
		if spec.Deadline > 0 {
			possible[supervise.CauseDeadline] = true
		}
		for range rapid.IntRange(0, 6).Draw(rt, "steps") {
			act(rt, t, p, possible)
		}
		if err := p.Close(bounded(t)); err != nil {
			rt.Fatal(err)
		}
		possible[supervise.CauseKilled] = true // Close is a forced end
		r, ok := p.Record()
		if !ok || !possible[r.Cause] {
			rt.Errorf("record %+v (%v), possible %v", r, ok, possible)
		}
		if left := alive(); len(left) > 0 {
			rt.Errorf("alive after death: %v; record %+v", left, r)
		}
		if spec.RunDir != "" {
			if again, err := supervise.Reclaim(bounded(t), spec.RunDir); err != nil || again.Cause != r.Cause || again.Tail != r.Tail {
				rt.Errorf("on disk %+v, %v; told %+v", again, err, r)
			}
		}
	})
}

// act does one thing to the tree and notes what may now be its cause.
func act(rt *rapid.T, t *testing.T, p *supervise.Process, possible map[supervise.Cause]bool) {
	s, err := p.Status(bounded(t))
	if err != nil {
		rt.Fatal(err)
	}
	sup := 0
	if leader, err := proc.Read(s.Pid); err == nil && s.Phase == supervise.PhaseRunning {
		sup = leader.Parent
	}
	switch a := rapid.SampledFrom([]string{"graceful", "force", "read", "kill leader", "stop leader", "kill supervisor", "terminate supervisor", "nothing"}).Draw(rt, "act"); a {
	case "graceful", "force":
		mode, cause := supervise.EndGraceful, supervise.CauseCancelled
		if a == "force" {
			mode, cause = supervise.EndForce, supervise.CauseKilled
		}
		possible[cause] = true
		if err := p.End(bounded(t), mode); err != nil {
			rt.Fatal(err)
		}
	case "read":
		if _, err := p.Output(); err != nil {
			rt.Fatal(err)
		}
	case "kill leader", "stop leader":
		if sup == 0 {
			return
		}
		sig := syscall.SIGSTOP
		if a == "kill leader" {
			sig, possible[supervise.CauseSignalled] = syscall.SIGKILL, true
		}
		if leader, err := proc.Read(s.Pid); err == nil && leader.Parent == sup {
			if err := proc.Signal(leader.Ident, sig); err != nil && !errors.Is(err, proc.ErrGone) {
				rt.Fatal(err)
			}
		}
	case "kill supervisor", "terminate supervisor":
		if sup <= 1 {
			return
		}
		sig, cause := syscall.SIGKILL, supervise.CauseLost
		if a == "terminate supervisor" {
			sig, cause = syscall.SIGTERM, supervise.CauseKilled
		}
		possible[cause] = true
		if id, err := proc.Read(sup); err == nil && id.Parent == syscall.Getpid() {
			if err := proc.Signal(id.Ident, sig); err != nil && !errors.Is(err, proc.ErrGone) {
				rt.Fatal(err)
			}
		}
	}
}
