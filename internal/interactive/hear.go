package interactive

import (
	"context"
	"errors"
	"fmt"

	"mindroom/internal/identity"
	"mindroom/internal/lifecycle/step"
	"mindroom/internal/store"
	"mindroom/internal/tool"
)

// errOvertaken: the question ended between the judgement and its transaction. The
// message is judged again, and is then one like any other.
var errOvertaken = errors.New("the question has just ended; the message is looked at again")

// Word is what a person did that may choose an option.
type Word struct {
	// Event is it, Person the canonical Matrix id of whoever it speaks for.
	Event, Person string
	// Message is our delivery that it is about; empty for a message by itself, which
	// is said in Room and Thread (no root is the room itself).
	Message      string
	Room, Thread string
	// Key is a reaction's; Text is what anything else says.
	Key, Text string
}

// Verdict is what becomes of a word. The zero value: it chooses nothing, and is
// what it would be without this package.
type Verdict struct {
	// Claimed: it chooses, or has chosen, an option.
	Claimed bool
	// Later: it cannot be told now whether the person may; ask again.
	Later bool
	// Account is which of our accounts asked the question, and carries Do out.
	Account string
	// Do takes the choice, in the transaction that takes the event; nil is nothing.
	Do func(tx *store.Tx) error
}

// Hear judges a reaction, a reply or a message by itself (sentence 3). It claims
// a reply or a message that did choose however often, and by whichever of our
// accounts, it is asked.
func (d *Desk) Hear(ctx context.Context, w Word) (Verdict, error) {
	if _, ok := number(w.Text); w.Key == "" && !ok {
		return Verdict{}, nil
	}
	var a Asked
	var found bool
	err := d.DB.Read(ctx, func(q *store.Reader) (err error) {
		if w.Message != "" {
			a, found, err = shownBy(q, w.Message)
		} else {
			a, found, err = meant(q, w.Event, w.Room, w.Thread, w.Person)
		}
		return err
	})
	if err != nil || !found || a.Who.Requester != w.Person {
		return Verdict{}, err
	}
	chosen, ok := a.typed(w.Text)
	if w.Key != "" {
		chosen, ok = a.reacted(w.Key)
	}
	switch {
	case a.ByEvent == w.Event:
		return Verdict{Claimed: true, Account: a.Account}, nil
	case !ok || a.State.Over():
		return Verdict{}, nil
	case d.Wall.Now().Sub(a.At) >= lasting:
		return d.expired(a, w), nil
	}
	switch d.Authority.May(ctx, identity.InThread(a.Who.Agent, a.Who.Requester, a.Room, a.ThreadRoot), d.Config.Current()) {
	case tool.CannotTell:
		return Verdict{Claimed: true, Later: true, Account: a.Account}, nil
	case tool.No:
		return Verdict{}, nil
	}
	return Verdict{Claimed: true, Account: a.Account, Do: func(tx *store.Tx) error { return d.choose(tx, a, chosen, w) }}, nil
}

// expired ends a question that nobody answered in time. A reaction is used up by
// that; a message is one like any other, and whoever answers it closes the
// question.
func (d *Desk) expired(a Asked, w Word) Verdict {
	if w.Key == "" {
		return Verdict{}
	}
	return Verdict{Claimed: true, Account: a.Account, Do: func(tx *store.Tx) error {
		_, err := d.end(tx, a, Expired, -1, "")
		return err
	}}
}

// choose takes a choice: the question ends, and its turn begins.
func (d *Desk) choose(tx *store.Tx, a Asked, chosen int, w Word) error {
	first, err := d.end(tx, a, Answered, chosen, w.Event)
	switch {
	case err != nil:
		return err
	case !first && w.Key == "":
		return fmt.Errorf("a choice for turn %s: %w", a.Turn, errOvertaken)
	case !first:
		return nil
	}
	err = d.Turns.Selected(tx, Selection{
		Asked: a, Choice: Choice{Question: a.Text, Option: a.Options[chosen]}, Event: w.Event, Reaction: w.Key != "",
	})
	if err == nil {
		tx.AfterCommit(func() { step.Reached(step.ChoiceTaken) })
	}
	return err
}
