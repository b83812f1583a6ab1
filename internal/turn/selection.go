package turn

import (
	"encoding/json"
	"errors"
	"slices"

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
	// Sender is whose event it was, for a Reaction, of which history knows nothing.
	Sender   string `json:"sender"`
	Reaction bool   `json:"reaction,omitempty"`
	// ReplyTo is the event that the answer replies to: a client cannot show a
	// reaction above it.
	ReplyTo string `json:"reply_to"`
	// At is the event's instant in milliseconds since 1970, Seq its place in the journal.
	At  int64 `json:"at"`
	Seq int64 `json:"seq"`
}

// Selected starts the turn of a choice, for the same requester in the same
// conversation as the question. The same again is known and changes nothing.
func (e *Engine) Selected(tx *store.Tx, s interactive.Selection) error {
	asked, err := chat.Get(tx, s.Message)
	if err != nil && !errors.Is(err, chat.ErrUnknown) {
		return err
	}
	event, _, err := e.History.Find(tx, s.Account, s.Event)
	if err != nil {
		return err
	}
	cp := newCheckpoint()
	cp.Selection = &selection{
		Source: message.SourceSelection, Question: s.Turn, Text: s.Choice.Said(), Sender: s.Sender, Reaction: s.Reaction, ReplyTo: s.Event,
		At: event.OriginTS, Seq: event.Seq,
	}
	if s.Reaction && asked.EventID != "" {
		cp.Selection.ReplyTo = asked.EventID
	}
	return e.create(tx, Request{
		Agent: s.Who.Agent, Account: s.Account, Who: s.Who, Room: s.Room, ThreadRoot: s.ThreadRoot, TriggerEvent: s.Event,
	}, cp)
}

// selected puts the choices among the messages of a conversation in their words:
// those of the agent's earlier turns, and the one to answer. A message that was
// taken back stays away; a choice by reaction is what its question was, whatever
// became of the reaction.
func selected(messages []chat.Message, answers []answered, trigger string, now *selection) []chat.Message {
	chosen := map[string]*selection{}
	for _, a := range answers {
		if a.selection != nil {
			chosen[a.trigger] = a.selection
		}
	}
	if now != nil {
		chosen[trigger] = now
	}
	if len(chosen) == 0 {
		return messages
	}
	messages = slices.Clone(messages)
	for i, m := range messages {
		if s := chosen[m.EventID]; s != nil {
			messages[i].Content = s.content()
		}
	}
	for event, s := range chosen {
		if !s.Reaction {
			continue
		}
		at := 0
		for i, m := range messages {
			if m.Seq < s.Seq {
				at = i + 1
			}
		}
		if at == 0 && event != trigger {
			continue // it is older than what is looked at
		}
		messages = slices.Insert(messages, at, chat.Message{Event: chat.Event{
			Seq: s.Seq, EventID: event, Sender: s.Sender, Type: "m.room.message", OriginTS: s.At, Content: s.content(),
		}})
	}
	return messages
}

func (s *selection) content() json.RawMessage { return message.Text(s.Text).Raw() }
