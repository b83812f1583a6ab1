package turn

import (
	"context"
	"errors"
	"fmt"

	"mindroom/internal/excerpt"
	"mindroom/internal/lifecycle/step"
	"mindroom/internal/model"
	"mindroom/internal/store"
	"mindroom/internal/tool"
)

// batch makes the calls of one answer side by side and checkpoints their
// results. over says that the turn ends with end.
func (r *response) batch(ctx context.Context, calls []model.Call, stop model.Stop) (end ending, over bool, err error) {
	r.cp.Phase, r.cp.Calls = phaseBatch, nil
	for i, call := range calls {
		ref := fmt.Sprintf("%d.%d.%s", r.cp.Rounds, i+1, excerpt.Head(call.ID, 64))
		r.cp.Calls = append(r.cp.Calls, batchCall{Ref: ref, Call: storedCall{call.ID, call.Name, string(call.Arguments)}})
		r.seen.change(true, func(v *view) { v.started(ref, model.OutgoingName(call.Name), call.ArgumentsObject(), r.e.Mask) })
	}
	r.cp.View = r.seen.now()
	return r.attempt(ctx, calls, stop)
}

// attempt plans the calls of the open batch. If a person has to be asked about
// one, all of them wait for it; else they are made.
func (r *response) attempt(ctx context.Context, calls []model.Call, stop model.Stop) (end ending, over bool, err error) {
	before, err := r.cp.encode()
	if err != nil {
		return ending{}, false, err
	}
	r.doing(StepCalling)
	kept := &ledger{e: r.e, id: r.id, checkpoint: before}
	terms := r.terms(ctx, kept)
	plans, cards, err := r.plans(ctx, calls, stop, terms)
	if err != nil {
		return ending{}, false, err
	}
	if len(cards) > 0 {
		err := r.park(ctx, cards)
		if errors.Is(err, errOver) { // cancelled before anybody was asked
			return cancelledEnding, true, nil
		}
		return ending{}, false, err
	}
	began := r.e.Wall.Stamp()
	outcomes, inTime, err := r.perform(ctx, plans, terms)
	if err != nil {
		return ending{}, false, err
	}
	for i, out := range outcomes {
		if out.State == tool.StatePaused {
			r.cp.Calls[i].Paused = &paused{Outcome: storedOutcome(out), Began: began}
			continue
		}
		r.took(i, resultOf(out).approved(plans[i].decision), out.Control)
	}
	switch {
	case r.cancelled():
		r.cp.Made += len(calls)
		return cancelledEnding, true, nil
	case r.cp.pauses():
		return r.waitOn(ctx)
	case ctx.Err() != nil && (!inTime || !kept.anyBegun()):
		// Too late for the begun ones, or nothing happened yet: as it stands.
		return ending{}, false, errStopping
	}
	return r.collected(ctx, calls)
}

// took keeps how one call of the open batch ended.
func (r *response) took(i int, result storedResult, control tool.Control) {
	c := &r.cp.Calls[i]
	c.Result, c.Control, c.Paused = &result, control, nil
	r.seen.change(true, func(v *view) { v.completed(c.Ref, result.Text, r.e.Mask) })
}

// collected goes on with a batch whose calls have all ended.
func (r *response) collected(ctx context.Context, calls []model.Call) (end ending, over bool, err error) {
	control := tool.ControlNone
	results := make([]model.Result, len(calls))
	for i, call := range calls {
		c := r.cp.Calls[i]
		results[i] = model.Result{CallID: call.ID, Name: call.Name, Text: c.Result.Text, IsError: c.Result.IsError, Media: c.Result.Media}
		control = max(control, c.Control)
	}
	r.cp.Made += len(calls)
	if r.cancelled() {
		return cancelledEnding, true, nil
	}
	if control == tool.ControlEndTurn {
		return ending{state: Answered}, true, nil
	}
	if r.repeated(calls) {
		return ending{state: Failed, reason: ReasonRepeats, note: noteRepeats}, true, nil
	}
	r.cp.Messages = append(r.cp.Messages, model.ToolResults(results...))
	return ending{}, false, r.settle(ctx)
}

// settle writes the checkpoint after a batch: clean again.
func (r *response) settle(ctx context.Context) error {
	r.cp.Phase, r.cp.Calls, r.cp.View = phaseAsk, nil, r.seen.now()
	checkpoint, err := r.cp.encode()
	if err != nil {
		return err
	}
	err = r.write(ctx, func(tx *store.Tx) error {
		now, err := load(tx, r.id)
		if err != nil {
			return err
		}
		if now.state != Clean {
			if err := r.e.move(tx, r.id, Clean, ByWork, ""); err != nil {
				return err
			}
		}
		if _, err := tx.Exec(`UPDATE turns SET attempts = 0 WHERE turn_id = $1`, r.id); err != nil {
			return err
		}
		if err := dropCalls(tx, r.id); err != nil {
			return err
		}
		return saveCheckpoint(tx, r.id, checkpoint)
	})
	if err == nil {
		step.Reached(step.TurnSettled)
	}
	return err
}
