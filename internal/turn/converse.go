package turn

import (
	"context"
	"errors"

	"mindroom/internal/lifecycle/step"
	"mindroom/internal/model"
)

// maxRounds is how often the model is asked in one turn.
const maxRounds = 50

// errStopping is why a response leaves its turn where it stands: the process
// is told to stop, and the next one goes on or calls it interrupted.
var errStopping = errors.New("the engine is stopping")

// converse asks the model and makes its calls until it makes none.
func (r *response) converse(ctx context.Context) (ending, error) {
	if r.cp.Phase == phaseNew {
		messages, err := r.gather(ctx, r.limits())
		if err != nil {
			return r.ended(ctx, err)
		}
		r.cp.Messages, r.cp.Phase = messages, phaseAsk
	}
	if err := r.loadTools(ctx); err != nil {
		return r.ended(ctx, err)
	}
	r.cp.Model = modelRef{r.model.Name, r.model.Kind, r.model.ID}
	if end, over, err := r.openCLI(ctx); over || err != nil {
		return end, err
	}
	system := r.system()
	if r.cp.Phase == phaseBatch { // it was parked and everything is decided
		if end, over, err := r.takeOn(ctx); over || err != nil {
			return end, err
		}
	}
	for {
		if ctx.Err() != nil {
			return r.ended(ctx, ctx.Err())
		}
		if r.cp.Rounds >= maxRounds {
			return ending{state: Failed, reason: ReasonRounds, note: noteRounds}, nil
		}
		if err := r.loadTools(ctx); err != nil {
			return r.ended(ctx, err)
		}
		answer, err := r.ask(ctx, system)
		if err != nil {
			return r.ended(ctx, err)
		}
		if len(answer.Message.Parts) > 0 {
			r.cp.Messages = append(r.cp.Messages, answer.Message)
		}
		calls := answer.Message.Calls()
		if len(calls) == 0 {
			return r.said(answer), nil
		}
		if end, over, err := r.batch(ctx, calls, answer.Stop); over || err != nil {
			return end, err
		}
	}
}

// ask streams one answer of the model into what the room sees. A question that
// is longer than the model's window is asked again with less in it, unless
// something was said already.
func (r *response) ask(ctx context.Context, system string) (model.Response, error) {
	r.cp.Rounds++
	r.doing(StepAsking)
	r.seen.change(false, (*view).pause)
	for {
		q, said := r.fitting(ctx, system), false
		answer, err := r.model.Provider.Stream(ctx, q, func(event model.Event) {
			if event.Text != "" {
				said = true
				r.seen.write(event.Text)
			}
		})
		r.cp.Usage = r.cp.Usage.Add(answer.Usage)
		told, tooLong := r.overflowed(err, q)
		if tooLong && !said && r.shorten(ctx) {
			continue
		}
		if !said && r.refusedMedia(err, q) {
			r.blind = true
			continue
		}
		step.Reached(step.ModelAnswered)
		return answer, told
	}
}

// ended is how a response ends that could not go on: cancelled by a person,
// left for the next process, or failed with what the provider said.
func (r *response) ended(ctx context.Context, err error) (ending, error) {
	if r.cancelled() {
		return cancelledEnding, nil
	}
	if ctx.Err() != nil {
		return ending{}, errStopping
	}
	if errors.Is(err, errNoTrigger) {
		return ending{state: Failed, reason: ReasonNoTrigger, note: noteError("the message to answer is no longer there.")}, nil
	}
	r.e.Log.Warn("a response failed", "turn", r.id, "err", err)
	var failure *model.Error
	if errors.As(err, &failure) {
		return ending{state: Failed, reason: ReasonProvider + Reason(failure.Kind), note: noteError(failure.Sentence())}, nil
	}
	return ending{state: Failed, reason: ReasonFault, note: noteFault}, nil
}

// said is the ordinary end: the model made no calls.
func (r *response) said(answer model.Response) ending {
	switch answer.Stop {
	case model.StopRefusal:
		return ending{state: Answered, reason: ReasonRefusal, note: noteRefusal}
	case model.StopMaxTokens:
		return ending{state: Answered, reason: ReasonCut, note: noteCut}
	}
	text := r.seen.now()
	if text.text() == "" {
		return ending{state: Answered, reason: ReasonEmpty, note: noteEmpty}
	}
	return ending{state: Answered}
}
