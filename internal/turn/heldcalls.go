package turn

import (
	"context"
	"errors"
	"slices"

	"mindroom/internal/clock"
	"mindroom/internal/store"
	"mindroom/internal/tool"
)

// carryHeld makes the calls that waited for people, as was decided about each, and
// ends the commands that made them. A call that asks again, or a shell among them
// whose own calls do, has the turn wait once more.
func (r *response) carryHeld(ctx context.Context) (end ending, over bool, err error) {
	r.doing(StepCalling)
	held, err := r.held(ctx)
	if err != nil {
		return ending{}, false, err
	}
	decisions := make([]tool.Decision, len(held))
	for i, w := range held {
		d, err := r.decision(ctx, w.call.Ref)
		if err != nil {
			return ending{}, false, err
		}
		if d != nil {
			decisions[i] = *d
		}
	}
	r.e.undoubted(ctx, r.row.who)
	if ctx.Err() != nil {
		end, err := r.ended(ctx, ctx.Err())
		return end, err == nil, err
	}
	ids := make([]string, len(held))
	outcomes := make([]tool.Outcome, len(held))
	for i, w := range held {
		ids[i] = w.call.ID
	}
	began := r.e.Wall.Stamp()
	inTime, err := r.sideBySide(ctx, ids, func(ctx context.Context, i int) {
		outcomes[i] = r.owner.Resume(ctx, held[i].call, decisions[i])
	}, func(i int) {
		outcomes[i] = tool.Failed(tool.Faultf(tool.FaultCancelled, "the response ended before the call began; it never ran"))
	})
	if err != nil {
		return ending{}, false, err
	}
	for i, w := range held {
		p := r.cp.pausedBy(w.maker())
		told := tell(w, verdictOf(decisions[i]), settledOutcome(outcomes[i]))
		if outcomes[i].State == tool.StatePaused {
			told.Paused = &pausedShell{Outcome: storedOutcome(outcomes[i]), Began: began}
		}
		p.Told = append(p.Told, told)
	}
	switch {
	case r.cancelled():
		return cancelledEnding, true, nil
	case !inTime:
		return ending{}, false, errStopping
	}
	again, err := r.held(ctx)
	if err != nil {
		return ending{}, false, err
	}
	if len(again) > 0 {
		return r.waitOn(ctx)
	}
	if err := r.concludePaused(ctx); err != nil {
		return ending{}, false, err
	}
	return r.collected(ctx, r.opened())
}

// settledOutcome is how a call that paused once more ended by itself: the calls it
// waits for are told as their own.
func settledOutcome(out tool.Outcome) tool.Outcome {
	if out.State == tool.StatePaused {
		out.State = out.Then
	}
	return out
}

// waitOn parks the turn for calls that commands have made.
func (r *response) waitOn(ctx context.Context) (ending, bool, error) {
	err := r.pause(ctx)
	if errors.Is(err, errOver) { // cancelled before it could wait
		return cancelledEnding, true, nil
	}
	return ending{}, false, err
}

// held are the calls of the turn that wait for a person.
func (r *response) held(ctx context.Context) ([]wait, error) {
	all, err := r.waits(ctx)
	return slices.DeleteFunc(all, func(w wait) bool { return w.begun }), err
}

// waits are those, and those that were begun and have not ended.
func (r *response) waits(ctx context.Context) (all []wait, err error) {
	err = r.persist(ctx, func() error {
		return r.e.DB.Read(context.WithoutCancel(ctx), func(q *store.Reader) (err error) {
			all, err = waits(q, r.row)
			return err
		})
	})
	return all, err
}

// pausedBy is the paused command inside which a call with that maker was made: the
// turn's own, or a held shell of it. Where that is not known the first one tells.
func (c *Checkpoint) pausedBy(maker string) *paused {
	var first *paused
	for _, call := range c.Calls {
		p := call.Paused
		if p == nil {
			continue
		}
		if call.Ref == maker || slices.ContainsFunc(p.Told, func(t toldCall) bool { return t.ID == maker }) {
			return p
		}
		if first == nil {
			first = p
		}
	}
	return first
}

// concludePaused ends the commands whose calls are all over, with their hooks,
// receipts and records: shells that were held first, then those of the turn.
func (r *response) concludePaused(ctx context.Context) error {
	if err := r.concludeShells(ctx); err != nil {
		return err
	}
	terms := r.terms(ctx, &ledger{e: r.e, id: r.id})
	for i, c := range r.cp.Calls {
		if c.Paused == nil {
			continue
		}
		began, err := clock.ParseStamp(c.Paused.Began)
		if err != nil {
			return err
		}
		call := r.e.callOf(r.row, r.cp, c)
		decision, err := r.decision(ctx, call.Ref)
		if err != nil {
			return err
		}
		out := r.bounded(ctx, call, c.Paused.whole())
		plan, _ := r.e.Room.Plan(ctx, call, terms) // for its verdict; the call was made whatever is said now
		out = r.e.Room.Conclude(ctx, plan, decision, out, began, terms)
		r.took(i, resultOf(out).approved(decision), out.Control)
	}
	return nil
}

// concludeShells ends the held calls that ran a shell which waited.
func (r *response) concludeShells(ctx context.Context) error {
	open, err := r.waits(ctx)
	if err != nil {
		return err
	}
	for _, w := range open {
		p := r.cp.pausedBy(w.call.ID)
		for i := range p.Told {
			t := &p.Told[i]
			if t.ID != w.call.ID || t.Paused == nil {
				continue
			}
			d, err := r.decision(ctx, w.call.Ref)
			if err != nil {
				return err
			}
			began, err := clock.ParseStamp(t.Paused.Began)
			if err != nil {
				return err
			}
			r.owner.Conclude(ctx, w.call, *d, tool.Outcome(t.Paused.Outcome), began)
			t.Paused = nil
		}
	}
	return nil
}

// bounded holds a command's whole result to what a model gets: what its calls
// brought was added after the room had bound it.
func (r *response) bounded(ctx context.Context, c tool.Call, out tool.Outcome) tool.Outcome {
	if out.Value == nil {
		return out
	}
	value, fault := tool.Long{Bytes: resultBound, Wall: r.e.Wall}.Bound(ctx, tool.Invocation{Call: c, Workspace: r.workspace()}, out.Value)
	if fault != nil {
		out.Then, out.Value, out.Fault = tool.StateFailed, nil, fault
		return out
	}
	out.Value = value
	return out
}
