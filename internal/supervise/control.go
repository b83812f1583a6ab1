package supervise

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"

	"mindroom/internal/supervise/wire"
)

// Status asks the supervisor where the tree stands. When the supervisor is gone it answers from what is known: PhaseDead with the record, or PhaseLost. It
// fails only when ctx ends first.
func (p *Process) Status(ctx context.Context) (Status, error) {
	p.mu.Lock()
	p.asked++
	n := p.asked
	gone := p.lost || p.state.Phase == wire.PhaseDead
	p.mu.Unlock()
	if !gone {
		err := p.send(ctx, wire.Request{Ask: n})
		if err == nil || ctx.Err() == nil { // a supervisor that hung up has said its last word, which is on its way
			err = p.await(ctx, func(s wire.State) bool { return s.Answered >= n })
		}
		if err != nil && ctx.Err() != nil {
			return Status{}, fmt.Errorf("ask for the process's status: %w", err)
		}
	}
	return p.status(), nil
}

func (p *Process) status() Status {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.state
	st := Status{
		Phase: s.Phase, ID: p.id, Pid: s.Leader.Pid, StartedAt: s.StartedAt, Exited: s.Exited, Exit: s.Exit, Cause: s.Cause, Level: s.Group.Level, Limit: s.Limit,
		Procs: s.Procs, OutputTotal: s.Total, Trouble: s.Trouble,
	}
	if s.RecordError != "" {
		st.Trouble = s.RecordError
	}
	if st.Trouble == "" && p.trouble != nil {
		st.Trouble = p.trouble.Error()
	}
	select {
	case <-p.dead:
		st.Phase, st.Cause, st.Exit, st.OutputTotal, st.Procs = PhaseDead, p.record.Cause, p.record.Exit, p.record.OutputTotal, 0
		st.Exited = st.Pid != 0
	default:
		if p.lost {
			st.Phase = PhaseLost
		}
	}
	return st
}

// End asks for the end of the tree and returns at once; Dead tells when it came. A force after a graceful request cuts its grace short; a tree that is already
// dead, or whose supervisor is lost and which is being ended anyway, is no error.
func (p *Process) End(ctx context.Context, mode EndMode) error {
	if mode != EndGraceful && mode != EndForce {
		return &Error{Kind: KindInvalidSpec, Text: fmt.Sprintf("a process ends gracefully or by force, not %q", mode)}
	}
	// Stopped, by whatever signal, the supervisor would not hear. Our handle of it names no other process.
	_ = p.sup.Signal(syscall.SIGCONT)
	if err := p.send(ctx, wire.Request{End: mode}); err != nil && ctx.Err() != nil {
		return fmt.Errorf("ask the process to end: %w", err)
	}
	return nil // any other failure means that the supervisor hung up: its last word is on its way, or it is lost and the tree is being ended
}

// Close ends the tree by force unless it is dead, waits for the proof, and frees what the Process holds. When ctx ends before the proof it returns
// ErrUnproven and the Process stays usable, so that Close can be called again. A second Close after a good one does nothing.
func (p *Process) Close(ctx context.Context) error {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil
	}
	p.mu.Unlock()
	if err := p.endAndProve(ctx); err != nil {
		return err
	}
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.giveUp()
	p.wg.Wait()
	_ = p.talk.Close()                                                     // nobody is left at the other end
	if err := p.out.Close(); err != nil && !errors.Is(err, os.ErrClosed) { // two callers may close at the same time
		return fmt.Errorf("close output: %w", err)
	}
	return nil
}

func (p *Process) endAndProve(ctx context.Context) error {
	select {
	case <-p.dead:
		return nil
	default:
	}
	if err := p.End(ctx, EndForce); err != nil {
		return &Error{Kind: KindUnproven, Text: "the supervisor does not listen; its process may still run", Err: err}
	}
	select {
	case <-p.dead:
		return nil
	case <-ctx.Done():
		return &Error{Kind: KindUnproven, Text: fmt.Sprintf("process %d was killed but not seen dead; try again", p.latest().Leader.Pid), Err: ctx.Err()}
	}
}
