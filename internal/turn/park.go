package turn

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"mindroom/internal/approval"
	"mindroom/internal/lifecycle/step"
	"mindroom/internal/message"
	"mindroom/internal/model"
	"mindroom/internal/store"
	"mindroom/internal/tool"
)

// errParked is why a response leaves its turn: it is a row now, and waits for
// people without a goroutine.
var errParked = errors.New("the response waits for a decision")

// plans looks at every call of the open batch and takes up what was decided
// about them. cards are the questions that are still to be put.
func (r *response) plans(ctx context.Context, calls []model.Call, stop model.Stop, terms tool.Terms) (plans []planned, cards []approval.Card, err error) {
	for i, call := range calls {
		over := r.agent.MaxToolCallsPerTurn > 0 && r.cp.Made+i >= r.agent.MaxToolCallsPerTurn
		p := r.plan(ctx, call, r.cp.Calls[i].Ref, over, stop, terms)
		if p.decision, err = r.decision(ctx, p.plan.Ref); err != nil {
			return nil, nil, err
		}
		if p.fault == nil && r.resumed && r.minimal() && r.fresh {
			p.fault = notRecovered(p.decision)
		}
		if p.fault == nil && p.decision == nil && p.plan.Verdict.Kind == tool.Ask && r.e.Cards != nil && r.child == nil {
			card, fault := r.e.Cards.Draw(ctx, p.plan)
			if fault != nil {
				p.fault = fault
			} else {
				cards = append(cards, card)
			}
		}
		plans = append(plans, p)
	}
	return plans, cards, nil
}

// decision is what a person said of a call of this turn; nil for nothing.
func (r *response) decision(ctx context.Context, ref tool.Ref) (*tool.Decision, error) {
	if r.e.Cards == nil {
		return nil, nil
	}
	var d tool.Decision
	var over bool
	err := r.persist(ctx, func() error {
		return r.e.DB.Read(context.WithoutCancel(ctx), func(q *store.Reader) (err error) {
			d, over, err = r.e.Cards.Decision(q, ref)
			return err
		})
	})
	if err != nil || !over {
		return nil, err
	}
	return &d, nil
}

// park puts the questions and leaves the turn as a row, in one transaction:
// either nobody was asked and nothing waits, or both. Nothing of the batch ran.
// It returns errParked, or errOver when the turn was cancelled meanwhile.
func (r *response) park(ctx context.Context, cards []approval.Card) error {
	if !r.minimal() {
		// What is left of this response goes on without mindroom-agent (M18).
		r.cp.WithoutCLI = true
		r.e.closeCLI(ctx, r.id, false)
	}
	err := r.leave(ctx, func(tx *store.Tx) ([]approval.Card, error) {
		for _, card := range cards {
			if err := r.e.Cards.Put(tx, card); err != nil {
				return nil, err
			}
		}
		return cards, nil
	})
	if err != nil {
		return err
	}
	step.Reached(step.TurnParked)
	return errParked
}

// leave parks the turn the response works on, unless somebody has cancelled it:
// errOver then. asked gives the questions it waits for, in the same transaction.
func (r *response) leave(ctx context.Context, asked func(tx *store.Tx) ([]approval.Card, error)) error {
	checkpoint, err := r.cp.encode()
	if err != nil {
		return err
	}
	err = r.write(ctx, func(tx *store.Tx) error {
		now, err := load(tx, r.id)
		if err != nil {
			return err
		}
		if now.cancelBy != "" {
			return errOver
		}
		cards, err := asked(tx)
		if err != nil {
			return err
		}
		return r.e.parkRow(tx, r.row, r.cp, checkpoint, ByWork, cards)
	})
	if err == nil {
		r.e.doubted(ctx, r.row)
	}
	return err
}

// parkRow makes the turn a row that waits for those questions, and shows them in
// its answer.
func (e *Engine) parkRow(tx *store.Tx, row row, cp Checkpoint, checkpoint string, by Cause, cards []approval.Card) error {
	if err := e.move(tx, row.id, Parked, by, ""); err != nil {
		return err
	}
	if _, err := tx.Exec(`UPDATE turns SET attempts = 0 WHERE turn_id = $1`, row.id); err != nil {
		return err
	}
	if err := saveCheckpoint(tx, row.id, checkpoint); err != nil {
		return err
	}
	return e.showWaiting(tx, row, cp, cards)
}

// showWaiting shows in the answer's message what it waits for.
func (e *Engine) showWaiting(tx *store.Tx, row row, cp Checkpoint, cards []approval.Card) error {
	if !cp.Streamed || len(cards) == 0 {
		return nil // the cards say it
	}
	var names []string
	for _, card := range cards {
		names = append(names, fmt.Sprintf("`%s`", card.Name.Function))
	}
	body := "Waiting for approval: " + strings.Join(names, ", ")
	shows := e.showsCalls(row.agent)
	if text := cp.View.render(shows); text != "" {
		body = text + "\n\n" + body
	}
	content := message.Text(body, append(e.trace(shows, cp.View), message.Notice(),
		message.With(message.KeyStreamStatus, message.StatusApproval), message.With(message.KeyDelivery, firstDelivery(row.id)))...)
	_, err := e.Outbox.EnqueueProgress(tx, e.delivery(row, "", firstDelivery(row.id), content))
	return err
}

// opened are the calls of the open batch as the model made them.
func (r *response) opened() []model.Call {
	calls := make([]model.Call, len(r.cp.Calls))
	for i, c := range r.cp.Calls {
		calls[i] = model.Call{ID: c.Call.ID, Name: c.Call.Name, Arguments: []byte(c.Call.Arguments)}
	}
	return calls
}
