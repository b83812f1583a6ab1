package turn

import (
	"errors"

	"mindroom/internal/chat"
	"mindroom/internal/interactive"
	"mindroom/internal/message"
	"mindroom/internal/store"
)

// selection is what a turn answers that a choice started: a reaction has no
// words, and those of a message are a number.
type selection struct {
	// Source is message.SourceSelection.
	Source message.Source `json:"source"`
	// Question is the turn that asked.
	Question string `json:"question_turn"`
	// Text is what the choice says to the model.
	Text string `json:"text"`
	// ReplyTo is the event that the answer replies to: a client cannot show a
	// reaction above it.
	ReplyTo string `json:"reply_to"`
}

// Selected starts the turn of a choice, for the same requester in the same
// conversation as the question. The same again is known and changes nothing.
func (e *Engine) Selected(tx *store.Tx, s interactive.Selection) error {
	asked, err := chat.Get(tx, s.Message)
	if err != nil && !errors.Is(err, chat.ErrUnknown) {
		return err
	}
	cp := newCheckpoint()
	cp.Selection = &selection{Source: message.SourceSelection, Question: s.Turn, Text: s.Choice.Said(), ReplyTo: s.Event}
	if s.Reaction && asked.EventID != "" {
		cp.Selection.ReplyTo = asked.EventID
	}
	return e.create(tx, Request{
		Agent: s.Who.Agent, Account: s.Account, Who: s.Who, Room: s.Room, ThreadRoot: s.ThreadRoot, TriggerEvent: s.Event,
	}, cp)
}

// selected has the choices among messages say what was chosen: those of the
// agent's earlier turns, and that of this one.
func (r *response) selected(messages []chat.Message, answers []answered) {
	chosen := map[string]*selection{r.row.trigger: r.cp.Selection}
	for _, a := range answers {
		chosen[a.trigger] = a.selection
	}
	for i, m := range messages {
		if s := chosen[m.EventID]; s != nil {
			messages[i].Content = message.Text(s.Text).Raw()
		}
	}
}
