package interactive

import (
	"errors"
	"fmt"
	"time"

	"mindroom/internal/chat"
	"mindroom/internal/clock"
	"mindroom/internal/config"
	"mindroom/internal/message"
	"mindroom/internal/store"
	"mindroom/internal/tool"
)

// lasting is how long a question can be answered. What is older is a part of a
// conversation that nobody remembers; whoever comes back to it writes.
const lasting = 7 * 24 * time.Hour

// Outbox takes what is put under a question; *chat.Outbox.
type Outbox interface {
	Enqueue(tx *store.Tx, d chat.Delivery) (fresh bool, err error)
	Withdraw(tx *store.Tx, id string) (bool, error)
}

var _ Outbox = (*chat.Outbox)(nil)

// Selection is a choice that starts a turn.
type Selection struct {
	// Asked is the question as it was when the choice was made.
	Asked
	Choice Choice
	// Event is what chose: a reaction, or a message.
	Event string
	// Reaction: the event has no words, and Message is what it is about.
	Reaction bool
}

// Turns are who asks and who goes on; *turn.Engine.
type Turns interface {
	// Selected starts the turn of a choice, in the transaction that takes it. The
	// same again is known and changes nothing.
	Selected(tx *store.Tx, s Selection) error
	// Restate shows the answer of a turn once more with these words in place of
	// its question. A turn that is no longer kept is left as it is.
	Restate(tx *store.Tx, turn, words string) error
}

// Desk is the owner of the questions. Every field is needed.
type Desk struct {
	DB        *store.DB
	Outbox    Outbox
	Config    *config.Holder
	Authority tool.Authority
	Wall      clock.Wall
	// Turns is set before anything is asked.
	Turns Turns
}

// buttonDelivery names the reaction of an option, unbuttonDelivery its removal.
func buttonDelivery(turn string, n int) string { return fmt.Sprintf("question:%s:%d", turn, n+1) }
func unbuttonDelivery(turn string, n int) string {
	return fmt.Sprintf("question:%s:%d:gone", turn, n+1)
}

// Ask opens a question in the transaction that enqueues its message, and puts a
// reaction for each option under that. An older question of the agent to the
// same person there is closed.
func (d *Desk) Ask(tx *store.Tx, a Asked) error {
	if err := d.Close(tx, a); err != nil {
		return err
	}
	a.At = d.Wall.Now()
	fresh, err := insert(tx, a)
	if err != nil {
		return fmt.Errorf("ask the question of turn %s: %w", a.Turn, err)
	}
	if !fresh {
		return nil
	}
	for n, o := range a.Options {
		_, err := d.Outbox.Enqueue(tx, chat.Delivery{
			ID: buttonDelivery(a.Turn, n), Conversation: chat.Conversation{Account: a.Account, Room: a.Room}, Kind: chat.KindReaction, Type: "m.reaction",
			Content: message.Reaction(o.Emoji).Raw(), Target: chat.Target{Delivery: a.Message},
		})
		if err != nil {
			return fmt.Errorf("ask the question of turn %s: %w", a.Turn, err)
		}
	}
	return nil
}

// Close ends the open question of the agent, conversation and requester of what
// is said there now: a turn's answer, or a newer question.
func (d *Desk) Close(tx *store.Tx, now Asked) error {
	open, err := list(tx, `WHERE state = 'open' AND room_id = $1 AND thread_root = $2 AND requester = $3 AND agent = $4 AND turn_id <> $5`,
		now.Room, now.ThreadRoot, now.Who.Requester, now.Who.Agent, now.Turn)
	if err != nil {
		return err
	}
	for _, a := range open {
		if _, err := d.end(tx, a, Closed, -1, ""); err != nil {
			return err
		}
	}
	return nil
}

// end moves a question to an end and shows it; false when it had one.
func (d *Desk) end(tx *store.Tx, a Asked, next State, chosen int, event string) (bool, error) {
	first, err := end(tx, a, next, chosen, event, d.Wall.Now())
	if err != nil || !first {
		return false, err
	}
	words := a.Closed()
	if next == Answered {
		words = a.Question.Answered(chosen)
	}
	if err := d.Turns.Restate(tx, a.Turn, words); err != nil {
		return false, fmt.Errorf("show the end of the question of turn %s: %w", a.Turn, err)
	}
	for n := range a.Options {
		if err := d.unbutton(tx, a, n); err != nil {
			return false, fmt.Errorf("take option %d of turn %s away: %w", n+1, a.Turn, err)
		}
	}
	return true, nil
}

// unbutton takes the reaction of an option away. One that was not sent yet never
// is, and one that retention deleted is nobody's any more.
func (d *Desk) unbutton(tx *store.Tx, a Asked, n int) error {
	gone, err := d.Outbox.Withdraw(tx, buttonDelivery(a.Turn, n))
	if errors.Is(err, chat.ErrUnknown) {
		return nil
	}
	if err == nil && !gone {
		_, err = d.Outbox.Enqueue(tx, chat.Delivery{
			ID: unbuttonDelivery(a.Turn, n), Conversation: chat.Conversation{Account: a.Account, Room: a.Room},
			Kind: chat.KindRedaction, Content: message.Content{}.Raw(), Target: chat.Target{Delivery: buttonDelivery(a.Turn, n)},
		})
	}
	return err
}
