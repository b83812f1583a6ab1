package approval

import (
	"context"
	"fmt"
	"strings"

	"mindroom/internal/chat"
	"mindroom/internal/identity"
	"mindroom/internal/message"
	"mindroom/internal/store"
	"mindroom/internal/tool"
)

// Word is what somebody did to a message of ours.
type Word struct {
	// Delivery is our message's delivery id.
	Delivery string
	// Person is the canonical Matrix id of who did it.
	Person string
	// Key is the reaction's; empty for a reply, whose words Text are.
	Key, Text string
	// Response is what an event of ResponseType says; nil for anything else.
	Response *Response
}

// decision is what the word wants, and its reason; false when it wants nothing.
func (w Word) decision() (next State, reason string, ok bool) {
	if w.Response != nil {
		return w.Response.Decision, strings.TrimSpace(w.Response.Reason), true
	}
	switch strings.TrimSuffix(w.Key, "\ufe0f") {
	case "✅":
		return Approved, "", true
	case "❌", "":
		return Denied, strings.TrimSpace(w.Text), true
	}
	return "", "", false
}

// Verdict is what becomes of a word. The zero value: it concerns no card.
type Verdict struct {
	// Claimed: it is about a card, and nothing else may come of it.
	Claimed bool
	// Later: it cannot be told now whether the person may decide; ask again.
	Later bool
	// Do carries it out, in the transaction that takes the event; nil is nothing.
	Do func(tx *store.Tx) error
}

// Hear judges a reaction, a reply or a response of a richer client: ✅ approves,
// ❌ or a reply denies. Only the
// requester decides, and only while they may use the agent there; anybody else
// is told so, and their word consumes nothing (S18). Whoever comes too late is
// told how it ended.
func (c *Cards) Hear(ctx context.Context, w Word) (Verdict, error) {
	id, ok := cardOf(w.Delivery)
	if !ok {
		return Verdict{}, nil
	}
	next, reason, ok := w.decision()
	if !ok {
		return Verdict{}, nil
	}
	var card Card
	var found bool
	err := c.DB.Read(ctx, func(q *store.Reader) (err error) {
		card, found, err = get(q, id)
		return err
	})
	switch {
	case err != nil:
		return Verdict{}, err
	case !found:
		return Verdict{Claimed: true}, nil // kept no longer
	case w.Person != card.Requester:
		return c.tell(card, w.Person, "stranger", fmt.Sprintf("Only %s can decide about `%s`.", card.Requester, card.Name)), nil
	case card.State.Terminal():
		return c.late(card, w.Person), nil
	}
	switch c.Authority.May(ctx, identity.InThread(card.Agent, card.Requester, card.Room, card.ThreadRoot), c.Config.Current()) {
	case tool.CannotTell:
		return Verdict{Claimed: true, Later: true}, nil
	case tool.No:
		return c.tell(card, w.Person, "no-access", fmt.Sprintf("You may not use %s here any more, so `%s` cannot be decided.", card.Agent, card.Name)), nil
	}
	if c.expired(id) {
		next, reason = Expired, "nobody decided in time"
	}
	return Verdict{Claimed: true, Do: func(tx *store.Tx) error {
		by := w.Person
		if next == Expired {
			by = ""
		}
		now, first, found, err := c.Decide(tx, id, next, by, reason)
		if err != nil || !found || first && now.State == next && next != Expired {
			return err
		}
		// Another end was first, or it came too late, or could only be denied.
		return c.late(now, w.Person).Do(tx)
	}}, nil
}

// cardOf is the card whose message a delivery is. No prefix of a delivery begins
// another.
func cardOf(delivery string) (id string, ok bool) {
	for _, prefix := range []string{textDelivery, fileDelivery, eventDelivery} {
		if id, ok = strings.CutPrefix(delivery, prefix); ok {
			return id, true
		}
	}
	return "", false
}

// late tells somebody how the question had ended before their word.
func (c *Cards) late(card Card, person string) Verdict {
	return c.tell(card, person, string(card.State), fmt.Sprintf("`%s` is over: %s. %s", card.Name, strings.ToLower(titles[card.State]), card.ending()))
}

// tell says something to one person about a card, once a person and occasion.
func (c *Cards) tell(card Card, person, occasion, text string) Verdict {
	return Verdict{Claimed: true, Do: func(tx *store.Tx) error {
		_, err := c.Outbox.Enqueue(tx, chat.Delivery{
			ID: "card-note:" + card.ID + ":" + occasion + ":" + person, Conversation: card.Conversation, Kind: chat.KindMessage, Type: "m.room.message",
			Content: message.Text(person+": "+text, message.Notice(), message.With(message.KeySkipMentions, true), message.With(message.KeyProgram, program)).Raw(),
		})
		return err
	}}
}
