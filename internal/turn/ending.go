package turn

import (
	"context"
	"errors"
	"strings"

	"mindroom/internal/lifecycle/step"
	"mindroom/internal/message"
	"mindroom/internal/store"
	"mindroom/internal/tool"
)

// Reason is the stable code of how a turn ended; empty for an answer that
// simply came to its end. The text in the room is for people.
type Reason string

// The reasons. ReasonProvider is followed by the model.Kind of the failure.
const (
	ReasonProvider     Reason = "provider_"
	ReasonEmpty        Reason = "empty_answer"
	ReasonRefusal      Reason = "refusal"
	ReasonCut          Reason = "max_tokens"
	ReasonRounds       Reason = "too_many_rounds"
	ReasonRepeats      Reason = "repeated_failure"
	ReasonAttempts     Reason = "too_many_starts"
	ReasonPanic        Reason = "panic"
	ReasonFault        Reason = "fault"
	ReasonAgentRemoved Reason = "agent_removed"
	ReasonNoModel      Reason = "no_model"
	ReasonNoTrigger    Reason = "message_gone"
	ReasonNoAccess     Reason = "no_access"
	ReasonCancelled    Reason = "cancelled"
	ReasonRestart      Reason = "restart"
	ReasonVersion      Reason = "unknown_version"
)

// The notes that end an answer. Those in brackets are recognised by other
// builds and by people (spec/runtime.md 3.9).
const (
	noteCancelled = "**[Response cancelled by user]**"
	noteRestart   = "**[Response interrupted by service restart]**"
	noteRefusal   = "**[The model declined to answer this. Please ask in another way.]**"
	noteCut       = "**[The answer was cut off: the model reached its limit for one answer. Ask it to go on.]**"
	noteEmpty     = "**[The model returned an empty answer. Please ask again, or in another way.]**"
)

var (
	noteFault   = noteError("something in MindRoom failed. Please ask again; if it keeps happening, ask the operator to look at the log.")
	noteRounds  = noteError("the agent called tools again and again without coming to an end. Please ask for something smaller.")
	noteRepeats = noteError("the agent repeated a call that keeps failing. Please look at the failure above, or ask in another way.")
)

// errorCharacters bounds what a note says of an error.
const errorCharacters = 220

// noteError is the note of an answer that an error ended. The sentence stays
// one line and cannot end the brackets early.
func noteError(sentence string) string {
	sentence = strings.NewReplacer("\n", " ", "**", "", "[", "(", "]", ")").Replace(sentence)
	if runes := []rune(sentence); len(runes) > errorCharacters {
		sentence = string(runes[:errorCharacters-1]) + "…"
	}
	return "**[Response interrupted by an error: " + sentence + "]**"
}

// ending is how a turn ends.
type ending struct {
	state  State
	reason Reason
	// note is the last paragraph of the answer; empty for none.
	note string
}

var cancelledEnding = ending{state: Cancelled, reason: ReasonCancelled, note: noteCancelled}

func (e ending) status() message.Status {
	switch e.state {
	case Answered:
		return message.StatusCompleted
	case Cancelled:
		return message.StatusCancelled
	case Interrupted:
		return message.StatusInterrupted
	}
	return message.StatusError
}

// finish writes the end of the turn: its state and the one final delivery, in
// one transaction.
func (r *response) finish(ctx context.Context, end ending) error {
	r.doing(StepEnding)
	if r.seen != nil {
		r.cp.View = r.seen.now()
	}
	err := r.write(ctx, r.e.conclude(ctx, r.row, r.cp, end, ByWork))
	if err == nil {
		step.Reached(step.TurnConcluded)
		r.e.closeCLI(ctx, r.id, end.state == Cancelled)
	}
	return err
}

// conclude is the one way a turn ends. It makes ready what the room gets and
// returns the transaction that ends the turn; one that has ended meanwhile is
// left as it is.
func (e *Engine) conclude(ctx context.Context, row row, cp Checkpoint, end ending, by Cause) func(tx *store.Tx) error {
	cp.View = cp.View.clone()
	cp.View.settle("The call was left behind.")
	told := e.telling(ctx, row, cp, end)
	return func(tx *store.Tx) error {
		last := cp
		if end.state != Answered {
			known, err := e.known(tx, row, cp)
			if err != nil {
				return err
			}
			last = known
		}
		// What the turn said is in the room and its calls are in the audit; only
		// one without an answer keeps what the agent has to be told next time.
		last.Phase, last.Messages, last.Repeats = phaseEnd, nil, nil
		calls := last.Calls
		if end.state == Answered {
			last.Calls = nil
		}
		checkpoint, err := last.encode()
		if err != nil {
			return err
		}
		err = e.move(tx, row.id, end.state, by, string(end.reason))
		var late *TransitionError
		if errors.As(err, &late) && late.From.Terminal() {
			return nil
		}
		if err != nil {
			return err
		}
		if err := saveCheckpoint(tx, row.id, checkpoint); err != nil {
			return err
		}
		if err := dropCalls(tx, row.id); err != nil {
			return err
		}
		if e.Cards != nil {
			for _, door := range []tool.Door{tool.DoorTurn, tool.DoorCLI} {
				if _, err := e.Cards.Withdraw(tx, door, row.id, end.withdrawal()); err != nil {
					return err
				}
			}
		}
		if err := dropWaits(tx, row.id); err != nil {
			return err
		}
		return told(tx, calls)
	}
}

// telling is what the end of a turn means to whoever waits for it: the room, or a
// subagent's caller.
func (e *Engine) telling(ctx context.Context, row row, cp Checkpoint, end ending) func(tx *store.Tx, calls []batchCall) error {
	if row.subagent != "" {
		return func(tx *store.Tx, calls []batchCall) error { return e.report(tx, row, cp, end, calls) }
	}
	said := e.conclusion(ctx, row, cp, end)
	return func(tx *store.Tx, _ []batchCall) error {
		if err := e.enqueue(tx, row, said); err != nil {
			return err
		}
		if err := e.withdrawStop(tx, row); err != nil {
			return err
		}
		return e.ask(tx, row, end, said.asked)
	}
}
