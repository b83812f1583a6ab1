package turn

import (
	"errors"
	"strings"

	"mindroom/internal/chat"
	"mindroom/internal/interactive"
	"mindroom/internal/message"
	"mindroom/internal/store"
)

// Questions keeps the questions with options that answers ask; *interactive.Desk.
type Questions interface {
	Ask(tx *store.Tx, a interactive.Asked) error
	Close(tx *store.Tx, now interactive.Asked) error
}

var (
	_ Questions         = (*interactive.Desk)(nil)
	_ interactive.Turns = (*Engine)(nil)
)

// restateDelivery names the edit that shows an answer once more, when its
// question is over.
func restateDelivery(turn string) string { return "turn:" + turn + ":asked" }

// question is what an answer asks, as its message shows it.
type question struct {
	interactive.Question
	// words stand at the end of the message, in place of the block.
	words string
	// open: it can be answered.
	open bool
}

// question takes the question out of an answer that has ended. The view keeps
// its other words; nil is an answer that asks nothing. Only an answer that came
// to its end by itself asks; of any other the words are there to be read.
func (e *Engine) question(v view, end ending) (view, *question) {
	if e.Questions == nil {
		return v, nil
	}
	for i := len(v.Pieces) - 1; i >= 0; i-- {
		if v.Pieces[i].Call != nil {
			continue
		}
		rest, q, found := interactive.Find(v.Pieces[i].Text)
		if !found {
			continue
		}
		v = v.clone()
		v.Pieces[i].Text = rest
		if end.state == Answered && end.reason == "" {
			return v, &question{q, q.Open(), true}
		}
		return v, &question{q, q.Closed(), false}
	}
	return v, nil
}

// ask opens the question of an answer, and closes the older one that the answer
// goes past, in the transaction that ends the turn.
func (e *Engine) ask(tx *store.Tx, row row, end ending, q *question) error {
	if e.Questions == nil || end.state != Answered {
		return nil
	}
	asked := interactive.Asked{
		Turn: row.id, Conversation: chat.Conversation{Account: row.account, Room: row.room, ThreadRoot: row.threadRoot},
		Message: firstDelivery(row.id), Who: row.who,
	}
	if q == nil || !q.open {
		return e.Questions.Close(tx, asked)
	}
	asked.Question = q.Question
	return e.Questions.Ask(tx, asked)
}

// Restate shows the answer of a turn once more with these words in place of its
// question. It speaks to nobody: whoever the answer mentions has heard it. Of a
// turn or a message that is no longer kept nothing is shown.
func (e *Engine) Restate(tx *store.Tx, turn, words string) error {
	row, err := load(tx, turn)
	if errors.Is(err, ErrUnknown) {
		return nil
	}
	if err != nil {
		return err
	}
	cp, err := decodeCheckpoint(row.checkpoint)
	if err != nil {
		return nil // it is another build's, whose words this one does not know
	}
	end := ending{state: Answered}
	v, q := e.question(cp.View, end)
	if q == nil {
		return nil
	}
	q.words, q.open = words, false
	body, options := e.words(row, cp, end, v, q)
	content := message.Text(body, options...)
	if content[message.KeyCut] != nil && e.Media != nil {
		content = message.Text(body, append(options, message.Attached(answerFile))...)
	}
	content["m.mentions"] = map[string]any{}
	_, err = e.Outbox.Enqueue(tx, e.delivery(row, restateDelivery(row.id), firstDelivery(row.id), content))
	if errors.Is(err, chat.ErrUnknown) {
		return nil
	}
	return err
}

// under is a text with the question below it.
func (q *question) under(text string) string {
	if q == nil {
		return text
	}
	return strings.TrimSpace(text + "\n\n" + q.words)
}

// options are what the message of an answer says of what it asks.
func (q *question) options(row row, cp Checkpoint) []message.Option {
	if q == nil {
		return nil
	}
	options := []message.Option{message.Tail(q.words)}
	if !q.open {
		return options
	}
	source := row.trigger
	if cp.Selection != nil {
		source = cp.Selection.ReplyTo
	}
	return append(options, message.With(message.KeyInteractive, q.Metadata(row.agent, source)))
}

// growing is an answer that is being written, as the room may see it.
func (e *Engine) growing(text string) string {
	if e.Questions == nil {
		return text
	}
	return interactive.Growing(text)
}
