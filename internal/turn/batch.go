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
		err := r.park(ctx, before, cards)
		if errors.Is(err, errOver) { // cancelled before anybody was asked
			return cancelledEnding, true, nil
		}
		return ending{}, false, err
	}
	outcomes, inTime, err := r.perform(ctx, plans, terms)
	if err != nil {
		return ending{}, false, err
	}
	control := tool.ControlNone
	results := make([]model.Result, len(calls))
	for i, call := range calls {
		result := resultOf(outcomes[i]).approved(plans[i].decision)
		r.cp.Calls[i].Result = &result
		results[i] = model.Result{CallID: call.ID, Name: call.Name, Text: result.Text, IsError: result.IsError, Media: result.Media}
		control = max(control, outcomes[i].Control)
	}
	r.cp.Made += len(calls)
	switch {
	case r.cancelled():
		return cancelledEnding, true, nil
	case ctx.Err() != nil && (!inTime || !kept.anyBegun()):
		// Too late for the begun ones, or nothing happened yet: as it stands.
		return ending{}, false, errStopping
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
