//go:build linux

package guard

import (
	"errors"
	"time"

	"golang.org/x/sys/unix"

	"mindroom/internal/lifecycle/step"
	"mindroom/internal/supervise/contain"
	"mindroom/internal/supervise/proc"
	"mindroom/internal/supervise/wire"
)

// reap takes in every death the kernel has to tell and reports whether no child is left at all.
func (g *guard) reap() (none bool) {
	for {
		var ws unix.WaitStatus
		pid, err := unix.Wait4(-1, &ws, unix.WNOHANG|unix.WALL, nil)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil: // ECHILD, the only other answer to this question
			return true
		case pid == 0:
			return false
		case pid == g.leader.Pid && !g.exited:
			g.leaderEnded(ws)
		}
	}
}

// leaderEnded notes the exit, after what the leader wrote before it.
func (g *guard) leaderEnded(ws unix.WaitStatus) {
	g.out.drain()
	g.exited = true
	code := ws.ExitStatus()
	own := wire.CauseExited
	if ws.Signaled() {
		code, own = -int(ws.Signal()), wire.CauseSignalled
		g.exit.Signal = unix.SignalName(ws.Signal())
	}
	g.exit.Code, g.exit.At = &code, wire.Now()
	if g.cause == "" {
		g.cause = own
	}
	g.deadline.stop()
	if g.phase == wire.PhaseRunning {
		if g.spec.OnLeaderExit == wire.LeaderExitKeep {
			g.enter(wire.PhaseDetached)
		} else {
			g.end(g.cause, true)
		}
	}
	g.publish()
}

// end begins the end of the tree, or hastens one that has begun.
func (g *guard) end(cause wire.Cause, force bool) {
	if g.cause == "" {
		g.cause = cause
	}
	g.enter(wire.PhaseEnding)
	g.deadline.stop()
	g.orphan.stop()
	switch {
	case force && !g.killing:
		g.kill()
	case !force && !g.termed && !g.killing:
		g.termed = true
		g.terminate()
		g.grace.set(g.spec.Grace)
	}
	step.Reached(step.GuardEnding)
	g.publish()
}

// terminate asks everybody to end: the leader's process group in one step, everyone else one by one, and nobody twice, because a handler that is interrupted
// by the same signal again does not finish its work. The stopped are woken to hear it.
func (g *guard) terminate() {
	group := !g.exited // until it is reaped, its number is nobody else's
	if group {
		_ = unix.Kill(-g.leader.Pid, unix.SIGTERM) // the group may be empty of others; the leader is found below otherwise
		_ = unix.Kill(-g.leader.Pid, unix.SIGCONT)
	}
	kids, err := proc.Descendants(g.self.Pid)
	if err != nil {
		g.talk.note(err)
		return
	}
	for _, k := range kids {
		if group && k.Group == g.leader.Pid {
			continue
		}
		// Whoever cannot be asked is killed after the grace.
		_ = proc.Signal(k.Ident, unix.SIGTERM)
		_ = proc.Signal(k.Ident, unix.SIGCONT)
	}
}

// The pace of killing: at once, then at growing intervals, because the kernel needs a moment and somebody in an uninterruptible wait may need minutes.
const (
	sweepFirst = 2 * time.Millisecond
	sweepMost  = 100 * time.Millisecond
	stopRounds = 100
)

// kill is one pass of killing; it repeats by itself until the tree is dead.
func (g *guard) kill() {
	g.killing = true
	g.grace.stop()
	if err := g.group.Kill(); err != nil {
		g.talk.note(err)
	}
	// A cgroup's first pass is given its moment before the tree is searched for whoever left it.
	if g.passes > 0 || g.group.Level == contain.LevelSubreaper {
		g.killSeen()
	}
	g.sweep.set(min(sweepFirst<<min(g.passes, 10), sweepMost))
	g.passes++
}

// killSeen stops whatever it sees until it sees nothing new, and then kills: a tree that forks faster than it is killed cannot fork while it is stopped.
func (g *guard) killSeen() {
	stopped := map[proc.Ident]bool{}
	var kids []proc.Stat
	for range stopRounds {
		var err error
		if kids, err = proc.Descendants(g.self.Pid); err != nil {
			g.talk.note(err)
			return
		}
		fresh := false
		for _, k := range kids {
			if !stopped[k.Ident] {
				stopped[k.Ident], fresh = true, true
				_ = proc.Signal(k.Ident, unix.SIGSTOP) // gone is well, refused shows below
			}
		}
		if !fresh {
			break
		}
	}
	for _, k := range kids {
		if err := proc.Signal(k.Ident, unix.SIGKILL); err != nil && !errors.Is(err, proc.ErrGone) {
			g.talk.note(err)
		}
	}
}
