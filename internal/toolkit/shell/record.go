package shell

import (
	"context"
	"errors"
	"sync"
	"time"
)

// owner is whom a command belongs to.
type owner struct{ agent, requester string }

// record is one command.
type record struct {
	handle  string
	owner   owner
	started time.Time
	dropped chan struct{} // closed when the table forgets the record
	kept    bool          // nobody waits for it any more; the table's lock holds it

	mu    sync.Mutex
	proc  Process
	final *view  // set once the process was closed
	after func() // called once when final is set; nil for nothing
}

// view is a command at one moment.
type view struct {
	state    State
	output   Output
	elapsed  time.Duration
	finished bool // nothing of it is left
}

// look is how the command stands now, or how it ended.
func (r *record) look(ctx context.Context) (view, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.final != nil {
		return *r.final, nil
	}
	return r.current(ctx)
}

// current asks the process; the lock is held.
func (r *record) current(ctx context.Context) (view, error) {
	finished := false
	select {
	case <-r.proc.Dead():
		finished = true
	default:
	}
	state, err := r.proc.State(ctx)
	if err != nil {
		return view{}, err
	}
	output, err := r.proc.Output()
	if err != nil {
		return view{}, err
	}
	return view{state: state, output: output, elapsed: time.Since(r.started), finished: finished}, nil
}

// then has done called once nothing of the command is left; at once if so now.
func (r *record) then(done func()) {
	r.mu.Lock()
	if r.final == nil {
		r.after = done
		done = func() {}
	}
	r.mu.Unlock()
	done()
}

// settle closes a process of which nothing is left, and keeps what is to be
// known of it. Doing it again does nothing.
func (r *record) settle(ctx context.Context) error {
	after := func() {}
	defer func() { after() }() // without the lock
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.final != nil {
		return nil
	}
	last, err := r.current(ctx)
	if err != nil {
		last = view{elapsed: time.Since(r.started), output: Output{Text: "(its output could not be read: " + err.Error() + ")"}}
	}
	if err := r.proc.Close(ctx); err != nil {
		return err
	}
	last.finished, last.state.Exited, last.state.Procs = true, true, 0
	r.final = &last
	if r.after != nil {
		after, r.after = r.after, nil
	}
	return nil
}

// settling is how long a command that returned may take to be rid of its last
// processes before they count as left behind: a pipeline's parts do not end in the
// same instant.
const settling = 150 * time.Millisecond

// settled is how a command that returned stands: finished and settled, or with
// processes that it left behind.
func (r *record) settled(ctx context.Context) (view, error) {
	timer := time.NewTimer(settling)
	defer timer.Stop()
	select {
	case <-r.proc.Dead():
		return r.last(ctx)
	case <-timer.C:
	}
	v, err := r.look(ctx)
	if err != nil || v.state.Procs > 0 {
		return v, err
	}
	// Nothing is left, and only the proof of it is late.
	select {
	case <-r.proc.Dead():
		return r.last(ctx)
	case <-ctx.Done():
		return view{}, ctx.Err()
	}
}

// last settles a dead command and is how it ended.
func (r *record) last(ctx context.Context) (view, error) {
	if err := r.settle(ctx); err != nil {
		return view{}, err
	}
	return r.look(ctx)
}

// finish ends the whole tree, waits for its end and settles; nil means that
// nothing is left. It waits without the lock, so that the command can be looked at
// meanwhile.
func (r *record) finish(ctx context.Context, force bool) error {
	if r.isFinal() {
		return nil
	}
	select {
	case <-r.proc.Dead():
		return r.settle(ctx)
	default:
	}
	// Whether the request arrived or not, the end itself is what counts. A
	// Process that another call has closed meanwhile is dead as well.
	asked := r.proc.End(ctx, force)
	select {
	case <-r.proc.Dead():
		return r.settle(ctx)
	case <-ctx.Done():
		return errors.Join(asked, ctx.Err())
	}
}

func (r *record) isFinal() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.final != nil
}
