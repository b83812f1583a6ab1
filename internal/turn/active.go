package turn

import (
	"context"
	"fmt"
	"slices"
	"time"

	"mindroom/internal/store"
)

// Step is what a running response is doing.
type Step string

// The steps of a response.
const (
	StepStarting Step = "starting"
	StepAsking   Step = "asking"  // the model is writing
	StepCalling  Step = "calling" // tools run
	StepEnding   Step = "ending"
)

// Info describes a running response to an operator.
type Info struct {
	Turn, Agent, Room, Thread, Requester string
	// Began is when this process took the turn up.
	Began time.Time
	Step  Step
	// Rounds is how often the model was asked, Calls how many calls it made.
	Rounds, Calls int
}

// Active lists the responses that run in this process, oldest first.
func (e *Engine) Active() []Info {
	e.mu.Lock()
	defer e.mu.Unlock()
	all := make([]Info, 0, len(e.running))
	for _, r := range e.running {
		r.mu.Lock()
		all = append(all, r.info)
		r.mu.Unlock()
	}
	slices.SortFunc(all, func(a, b Info) int { return a.Began.Compare(b.Began) })
	return all
}

// doing records the step for Active.
func (r *response) doing(s Step) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.info.Step, r.info.Rounds, r.info.Calls = s, r.cp.Rounds, r.cp.Made
}

// Cancel ends a turn on behalf of a person or an operator (by, for the record)
// and reports whether there was something to end; ErrUnknown if no such turn
// exists. The intent is durable when it returns; the end itself follows, after
// begun calls have stopped, and Wait tells when. The first one to cancel is
// remembered.
func (e *Engine) Cancel(ctx context.Context, turn, by string) (cancels bool, err error) {
	err = e.DB.Write(ctx, func(tx *store.Tx) (err error) {
		cancels, err = e.CancelIn(tx, turn, by)
		return err
	})
	return cancels, err
}

// CancelIn is Cancel in the caller's transaction: what runs is stopped once that
// is durable.
func (e *Engine) CancelIn(tx *store.Tx, turn, by string) (bool, error) {
	if by == "" {
		by = "unknown"
	}
	r, err := load(tx, turn)
	if err != nil {
		return false, fmt.Errorf("cancel turn %s: %w", turn, err)
	}
	if r.state.Terminal() {
		return false, nil
	}
	if r.cancelBy != "" {
		by = r.cancelBy
	} else if _, err := tx.Exec(`UPDATE turns SET cancel_by = $2 WHERE turn_id = $1`, turn, by); err != nil {
		return false, fmt.Errorf("cancel turn %s: %w", turn, err)
	}
	tx.AfterCommit(func() { e.halt(turn, by) })
	return true, nil
}

// halt stops the work on a turn that was durably cancelled.
func (e *Engine) halt(turn, by string) {
	e.mu.Lock()
	running := e.running[turn]
	e.mu.Unlock()
	if running == nil {
		e.Wake()
		return
	}
	running.mu.Lock()
	defer running.mu.Unlock()
	running.by = by
	if running.cancel != nil {
		running.cancel(errCancelled)
	}
}
