package turn

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"mindroom/internal/chat"
	"mindroom/internal/clock"
	"mindroom/internal/excerpt"
	"mindroom/internal/store"
)

const (
	// ownAnswers is how many of the agent's answers are looked up.
	ownAnswers = 100
	// callCharacters bounds what is told of the calls of one interrupted answer.
	callCharacters = 32_000
)

// answered is an earlier answer of the agent in the same conversation.
type answered struct {
	turn, trigger string
	requester     string
	at            time.Time
	text          string
	interrupted   bool
	// calls tells what an answer without an end had called.
	calls string
	// unseen: the room's own record does not have it yet.
	unseen bool
	// joined are the events of the files it answered with its message.
	joined []string
	// selection is the choice it answered; nil for a message.
	selection *selection
}

// answers lists the agent's earlier answers in this conversation, oldest first.
func (r *response) answers(ctx context.Context) ([]answered, error) {
	var all []answered
	err := r.e.DB.Read(ctx, func(q *store.Reader) error {
		all = nil
		rows, err := endedTurns(q, r.row)
		if err != nil {
			return err
		}
		for _, earlier := range rows {
			a, ok := answerOf(earlier)
			if !ok {
				continue
			}
			if a.unseen, err = r.unseen(q, earlier); err != nil {
				return err
			}
			all = append([]answered{a}, all...)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the earlier answers for turn %s: %w", r.id, err)
	}
	return all, nil
}

// endedTurns lists the newest ended turns of a turn's lane, newest first.
func endedTurns(q store.Queryer, turn row) ([]row, error) {
	var all []row
	err := store.Each(q, func(rows *store.Rows) error {
		r, err := scanRow(rows.Scan)
		all = append(all, r)
		return err
	}, `SELECT `+columns+` FROM turns WHERE agent = $1 AND conversation = $2 AND turn_id <> $3
		AND state IN ('answered', 'failed', 'cancelled', 'interrupted') ORDER BY seq DESC LIMIT $4`,
		turn.agent, turn.conversation, turn.id, ownAnswers)
	return all, err
}

// answerOf reads an ended turn; false for one of another build, of which the
// room's text is all there is.
func answerOf(r row) (answered, bool) {
	cp, err := decodeCheckpoint(r.checkpoint)
	if err != nil {
		return answered{}, false
	}
	at, err := clock.ParseStamp(r.changed)
	if err != nil {
		return answered{}, false
	}
	return answered{turn: r.id, trigger: r.trigger, requester: r.who.Requester, at: at, text: cp.View.text(), interrupted: r.state != Answered, calls: told(cp.Calls), joined: cp.Joined, selection: cp.Selection}, true
}

// told writes calls and their results for the model.
func told(calls []batchCall) string {
	var b strings.Builder
	for _, c := range calls {
		result := unknownEnd()
		if c.Result != nil {
			result = *c.Result
		}
		fmt.Fprintf(&b, "[It had called %s(%s). Result: %s]\n", c.Call.Name, excerpt.Head(c.Call.Arguments, 1024), excerpt.Head(result.Text, callCharacters/len(calls)))
	}
	return strings.TrimSpace(excerpt.Head(b.String(), callCharacters))
}

// unseen reports that an answer is on its way into the room, or there and not
// yet heard back: the room's record lacks it although nobody took it away.
func (r *response) unseen(q store.Queryer, earlier row) (bool, error) {
	d, err := chat.Get(q, firstDelivery(earlier.id))
	switch {
	case errors.Is(err, chat.ErrUnknown):
		return false, nil
	case err != nil:
		return false, err
	case d.EventID == "":
		return !d.State.Over(), nil
	}
	_, heard, err := r.e.History.Find(q, earlier.account, d.EventID)
	return !heard, err
}
