//go:build linux

package guard

import (
	"mindroom/internal/supervise/contain"
	"mindroom/internal/supervise/proc"
	"mindroom/internal/supervise/wire"
)

// begin arms what the Spec asks for and tells the client that the leader runs.
func (g *guard) begin() {
	g.enter(wire.PhaseRunning)
	if err := g.remember(); err != nil {
		g.talk.note(err)
	}
	if g.spec.Deadline > 0 {
		g.deadline.set(g.spec.Deadline)
	}
	if g.group.Level == contain.LevelSubreaper {
		g.trace.set(traceFirst)
	}
	g.publish()
}

// step takes in what the kernel tells and reports whether the tree is dead. It comes before every wait, so that an exit is seen before a request.
func (g *guard) step() bool {
	none := g.reap()
	if !none {
		return false
	}
	// Without a child there is no tree; whoever still sits in its groups was moved there, and goes the same way.
	if empty, err := g.group.Empty(); err == nil && !empty {
		if !g.killing {
			g.end(wire.CauseKilled, true)
		}
		return false
	}
	return true
}

// wait sleeps until something happens and deals with it.
func (g *guard) wait() {
	select {
	case <-g.sig.child:
	case <-g.sig.term:
		g.reap()
		g.end(g.terminated(), true)
	case r, open := <-g.talk.requests:
		g.reap()
		if open {
			g.answer(r)
		} else {
			g.talk.requests = nil
			g.abandon()
		}
	case <-g.out.grown:
		g.publish()
	case <-g.deadline.fired():
		g.deadline.stop()
		g.reap()
		if !g.exited {
			g.end(wire.CauseDeadline, false)
		}
	case <-g.grace.fired():
		g.grace.stop()
		g.kill()
	case <-g.orphan.fired():
		g.orphan.stop()
		g.reap()
		g.end(wire.CauseOrphaned, false)
	case <-g.sweep.fired():
		g.kill()
	case <-g.trace.fired():
		g.follow()
	}
}

// answer does what the client asked, in an order in which nothing in one Request contradicts another.
func (g *guard) answer(r wire.Request) {
	switch r.End {
	case wire.EndGraceful:
		g.end(wire.CauseCancelled, false)
	case wire.EndForce:
		g.end(wire.CauseKilled, true)
	}
	if r.Watch != nil {
		g.out.watch(*r.Watch)
	}
	if r.Ask > 0 {
		g.talk.answered(r.Ask)
		g.publish()
	}
}

// abandon is what the closing of the client's end means.
func (g *guard) abandon() {
	g.orphaned = true
	switch {
	case g.phase == wire.PhaseEnding:
	case g.spec.OrphanGrace == 0:
		g.end(wire.CauseOrphaned, false)
	default:
		g.orphan.set(g.spec.OrphanGrace)
	}
}

// terminated is the cause that a SIGTERM to the supervisor gives. Whoever sends it may have come after the client's death, whose news may still be under way.
func (g *guard) terminated() wire.Cause {
	if g.orphaned || g.talk.hungUp() {
		return wire.CauseOrphaned
	}
	return wire.CauseKilled
}

// publish puts the whole truth where the client gets it.
func (g *guard) publish() {
	s := g.state()
	if g.talk.asked() {
		if kids, err := proc.Descendants(g.self.Pid); err == nil {
			s.Procs = len(kids)
		}
	}
	g.talk.publish(s)
}

func (g *guard) state() wire.State {
	return wire.State{
		Protocol: wire.Protocol, Build: wire.Build, Phase: g.phase, StartedAt: g.started, Leader: g.leader, Exited: g.exited, Exit: g.exit, Cause: g.cause,
		Group: g.group, Limit: g.limit, Tree: g.tree, Total: g.out.total(),
	}
}
