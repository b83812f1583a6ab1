package supervise

import (
	"time"

	"mindroom/internal/supervise/contain"
	"mindroom/internal/supervise/proc"
	"mindroom/internal/supervise/tail"
	"mindroom/internal/supervise/wire"
)

// clearUpPause lies between two tries, when one failed for a reason that a person has to mend, a full disk say.
const clearUpPause = time.Second

// clearUp ends what a lost supervisor left (S71) and makes the record that it could not. It gives up only when Close does.
func (p *Process) clearUp() {
	for {
		r, err := p.proveLost()
		if err == nil {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.finish(r)
			return
		}
		p.note(err)
		t := time.NewTimer(clearUpPause)
		select {
		case <-t.C:
		case <-p.ctx.Done():
			t.Stop()
			return
		}
	}
}

// proveLost works from the run folder, or from the last State when there is none.
func (p *Process) proveLost() (Record, error) {
	if p.runDir != "" {
		return Reclaim(p.ctx, p.runDir)
	}
	s := p.latest()
	e := evidence{id: p.id, group: s.Group, seen: append([]proc.Ident{s.Leader}, s.Tree...)}
	if s.Phase == "" {
		e.group = contain.Find(p.id)
	}
	proof, err := e.prove(p.ctx)
	if err != nil {
		return Record{}, err
	}
	return lostRecord(p.id, s.Group.Level, s.StartedAt, proof, p.lastOutput()), nil
}

func (p *Process) lastOutput() tail.Chunk {
	c, err := tail.Last(p.out, p.tailBytes)
	if err != nil {
		p.note(err)
	}
	return c
}

func lostRecord(id string, level Level, started Instant, proof Proof, out tail.Chunk) Record {
	return Record{
		Protocol: wire.Protocol, ID: id, Cause: CauseLost, Error: "the supervisor died without a record; whatever it held was ended, how the program ended is not known",
		StartedAt: started, FinishedAt: wire.Now(), Level: level, Proof: proof, OutputTotal: out.Total, Tail: out.Text(max(len(out.Data), wire.DefaultTailBytes)),
	}
}
