package turn

import (
	"context"
	"encoding/json"
	"slices"

	"mindroom/internal/clock"
	"mindroom/internal/model"
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
	names := make([]string, len(held))
	outcomes := make([]tool.Outcome, len(held))
	for i, w := range held {
		names[i] = w.call.Ref.String()
	}
	inTime, err := r.sideBySide(ctx, names, func(ctx context.Context, i int) {
		outcomes[i] = r.owner.Resume(ctx, held[i].call, decisions[i])
	}, func(i int) {
		outcomes[i] = tool.Failed(tool.Faultf(tool.FaultCancelled, "the response ended before the call began; it never ran"))
	})
	if err != nil {
		return ending{}, false, err
	}
	for i, w := range held {
		p := r.cp.pausedBy(w.root)
		p.Told = append(p.Told, tell(w, verdictOf(decisions[i]), settledOutcome(outcomes[i])))
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
	switch err := r.pause(ctx); err {
	case errOver: // cancelled before it could wait
		return cancelledEnding, true, nil
	default:
		return ending{}, false, err
	}
}

// held are the calls of the turn that wait for a person.
func (r *response) held(ctx context.Context) (all []wait, err error) {
	err = r.persist(ctx, func() error {
		return r.e.DB.Read(context.WithoutCancel(ctx), func(q *store.Reader) (err error) {
			all, err = waits(q, r.row)
			return err
		})
	})
	return slices.DeleteFunc(all, func(w wait) bool { return w.begun }), err
}

// pausedBy is the paused command that made a held call; where that is not known,
// the first one tells of it.
func (c *Checkpoint) pausedBy(root string) *paused {
	var first *paused
	for _, call := range c.Calls {
		if call.Paused == nil {
			continue
		}
		if call.Ref == root {
			return call.Paused
		}
		if first == nil {
			first = call.Paused
		}
	}
	return first
}

// concludePaused ends the commands whose calls are all over, with their hooks,
// receipts and records.
func (r *response) concludePaused(ctx context.Context) error {
	kept := &ledger{e: r.e, id: r.id}
	terms := r.terms(ctx, kept)
	for i, c := range r.cp.Calls {
		if c.Paused == nil {
			continue
		}
		began, err := clock.ParseStamp(c.Paused.Began)
		if err != nil {
			return err
		}
		p := r.plan(ctx, model.Call{ID: c.Call.ID, Name: c.Call.Name, Arguments: json.RawMessage(c.Call.Arguments)}, c.Ref, false, "", terms)
		if p.decision, err = r.decision(ctx, p.plan.Ref); err != nil {
			return err
		}
		out := r.bounded(ctx, p.plan.Call, c.Paused.whole())
		out = r.e.Room.Conclude(ctx, p.plan, p.decision, out, began, terms)
		r.took(i, resultOf(out).approved(p.decision), out.Control)
	}
	return nil
}

// bounded holds a command's whole result to what a model gets: what its calls
// brought was added after the room had bound it.
func (r *response) bounded(ctx context.Context, c tool.Call, out tool.Outcome) tool.Outcome {
	if out.Value == nil {
		return out
	}
	value, fault := boundResult(r.e.Wall)(ctx, tool.Invocation{Call: c, Workspace: r.workspace()}, out.Value)
	if fault != nil {
		out.Then, out.Value, out.Fault = tool.StateFailed, nil, fault
		return out
	}
	out.Value = value
	return out
}
