package approval

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"time"

	"mindroom/internal/excerpt"
	"mindroom/internal/secret"
	"mindroom/internal/supervise"
)

// maxNoise bounds what the log shows of a script's own output, in bytes.
const maxNoise = 1 << 10

// process is one warm process of a script, in a tree of its own under a supervisor, which ends it with this program.
type process struct {
	path string
	tree *supervise.Process
	log  *slog.Logger
	idle *time.Timer

	ended chan struct{} // closed by the first end
	told  int64         // the output before the exchange that runs; only whoever has the process touches it

	mu   sync.Mutex
	over bool     // end was called
	gone bool     // the tree is proven dead
	then []func() // to call once it is
}

// ask puts one question. A *ScriptError is an answer of the process; after any other error it is of no use any more.
func (p *process) ask(ctx context.Context, about Subject) (bool, error) {
	answer, err := p.exchange(ctx, request{Check: &checkRequest{
		Function: about.Function, Arguments: about.Arguments.Canonical(), Agent: about.Agent,
	}})
	switch {
	case err != nil:
		return false, err
	case answer.Failed != nil:
		return false, p.failed(answer.Failed)
	case answer.NeedsApproval == nil:
		return false, errReply
	}
	return *answer.NeedsApproval, nil
}

// exchange sends a frame and waits for its answer. When ctx ends first, the way to the process is closed and cannot be used again.
func (p *process) exchange(ctx context.Context, q request) (reply, error) {
	talk := p.tree.Talk()
	if c, err := p.tree.Output(); err == nil {
		p.told = c.Total
	}
	stop := context.AfterFunc(ctx, func() { _ = talk.Close() })
	err := writeFrame(talk, q)
	var answer reply
	if err == nil {
		answer, err = readReply(talk)
	}
	if !stop() {
		return reply{}, errors.Join(ctx.Err(), err)
	}
	return answer, err
}

func (p *process) failed(f *replyFault) *ScriptError {
	e := &ScriptError{Path: p.path, Kind: ScriptRaised, Line: max(f.Line, 0), Text: quoted(f.Text)}
	switch f.Kind {
	case ScriptInvalid, ScriptAnswer:
		e.Kind = f.Kind
	}
	p.tellNoise("an approval script failed", "error", e)
	return e
}

// tellNoise logs what the script printed during the last exchange. What it printed before was about another call, whose secrets may be forgotten by now.
func (p *process) tellNoise(what string, args ...any) {
	if c, err := p.tree.Output(); err == nil {
		c.Data = c.Data[min(max(p.told-c.Start, 0), int64(len(c.Data))):]
		if said := strings.TrimSpace(secret.Default.Redact(c.Text(len(c.Data)))); said != "" {
			args = append(args, "output", excerpt.Tail(said, maxNoise))
		}
	}
	p.log.Warn(what, append([]any{"script", p.path}, args...)...)
}

// end lets the keeper end the process; then, which may be nil, is called once nothing is left of it.
func (p *process) end(then func()) {
	p.mu.Lock()
	if !p.over {
		p.over = true
		close(p.ended)
	}
	gone := p.gone
	if then != nil && !gone {
		p.then = append(p.then, then)
	}
	p.mu.Unlock()
	if then != nil && gone {
		then()
	}
}

// keep is the process's own goroutine: it waits for a reason to end it, ends it, and waits for the proof.
func (p *process) keep(ctx context.Context, s *processSet) {
	defer p.idle.Stop()
	for waiting := true; waiting; {
		select {
		case <-p.ended:
			waiting = false
		case <-ctx.Done():
			waiting = false
		case <-p.tree.Dead():
			waiting = false
		case <-p.idle.C:
			waiting = !s.remove(p)
		}
	}
	s.remove(p)
	p.close()
	p.mu.Lock()
	p.gone = true
	p.mu.Unlock()
	for _, then := range p.then { // nobody adds to it any more
		then()
	}
}

// close ends the tree and waits for the proof. It does not give up while there is none: whoever forgets a tree lets it run.
func (p *process) close() {
	for {
		ctx, cancel := context.WithTimeout(context.Background(), endWithin)
		err := p.tree.Close(ctx)
		cancel()
		if err == nil {
			return
		}
		p.tellNoise("the process of an approval script does not end", "error", err)
		if !errors.Is(err, supervise.ErrUnproven) {
			return
		}
	}
}
