//go:build linux

package guard

import (
	"fmt"
	"time"

	"mindroom/internal/lifecycle/step"
	"mindroom/internal/supervise/tail"
	"mindroom/internal/supervise/wire"
)

// finish makes the death durable and then says it.
func (g *guard) finish() {
	step.Reached(step.GuardEmpty)
	g.enter(wire.PhaseDead)
	r := g.record()
	g.removeGroup()
	s := g.state()
	if g.dir != "" {
		if err := g.dir.WriteRecord(r); err != nil {
			s.RecordError = err.Error()
		}
		step.Reached(step.GuardRecorded)
	}
	r.Tail = "" // the client reads it for itself; a frame need not be that large
	s.Record = &r
	g.talk.publish(s)
}

func (g *guard) record() wire.Record {
	r := wire.Record{
		Protocol: wire.Protocol, ID: g.id, Cause: g.cause, Exit: g.exit, StartedAt: g.started, FinishedAt: wire.Now(), Level: g.group.Level, Proof: wire.ProofReaped,
	}
	if g.startErr != nil {
		r.Error, r.Proof = g.startErr.Error(), wire.ProofNothing
	}
	if g.out == nil {
		return r
	}
	if err := g.out.close(); err != nil {
		g.talk.note(fmt.Errorf("output was not kept: %w", err))
	}
	r.OutputTotal = g.out.total()
	c, err := tail.Last(g.out.file, g.spec.TailBytes)
	if err != nil {
		g.talk.note(err)
		return r
	}
	r.Tail = c.Text(g.spec.TailBytes)
	return r
}

// removeGroup gives the kernel a moment: an empty v1 group stays busy until the last zombie's remains are gone. What cannot be removed is empty and harms
// nobody.
func (g *guard) removeGroup() {
	var err error
	for wait := time.Millisecond; wait < 50*time.Millisecond; wait *= 2 {
		if err = g.group.Remove(); err == nil {
			return
		}
		time.Sleep(wait)
	}
	g.talk.note(err)
}
