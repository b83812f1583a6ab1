package dispatch

import (
	"context"
	"slices"

	"mindroom/internal/chat"
	"mindroom/internal/config"
	"mindroom/internal/store"
)

// Touch is what a person did about one of our messages: a reaction to it, a
// reply, or a signal, whose content says the rest. A message by itself is one
// too, for takers of Pump.Words.
type Touch struct {
	Event chat.Event
	// Message is our delivery that it is about; its Account said it. It is zero for
	// a message by itself, which is said in Thread (empty: the room itself).
	Message chat.Delivery
	Thread  string
	// Person is whom the sender's Matrix id speaks for.
	Person string
	// Key is of a reaction, usually one emoji; empty for anything else.
	Key string
	// Text is what a reply or a message by itself says in its own words; empty for
	// anything else.
	Text string
}

// Taking is what a taker makes of a touch. The zero value says that it is not
// this taker's business.
type Taking struct {
	// Claimed: no other taker is asked, and a reply starts no turn.
	Claimed bool
	// Later: it is this taker's business and cannot be decided now. The row
	// stays new, and the taker is asked again.
	Later bool
	// Account is which of our accounts carries Do out, of a message by itself; of
	// anything else it is who sent the message that it is about.
	Account string
	// Do carries it out in the transaction that takes the row; nil is nothing.
	Do func(tx *store.Tx) error
}

// Taker looks at a touch. It may be asked more than once, so what it does
// belongs into Taking.Do, or must be without effect the second time. A taker of
// replies claims by what the message is, never by how it stands: each account
// that heard a reply asks, and only the one that sent the message carries Do
// out.
type Taker func(ctx context.Context, t Touch) (Taking, error)

// reaction offers a person's reaction to a message of this account.
func (p *Pump) reaction(ctx context.Context, a Account, e chat.Event, snap *config.Snapshot) (verdict, error) {
	relations := chat.ParseRelations(e.Content)
	if !e.Live || relations.ReactsTo == "" || len(p.Reactions) == 0 || !p.personal(e.Sender, snap) {
		return verdict{decision: ignore(ReasonReaction)}, nil
	}
	sent, ours, err := p.said(ctx, e.Room, relations.ReactsTo, a.Name)
	if err != nil || !ours {
		return verdict{decision: ignore(ReasonReaction)}, err
	}
	t := Touch{Event: e, Message: sent, Person: snap.Config.Authorization.Canonical(e.Sender), Key: relations.ReactionKey}
	v, claimed, err := p.offer(ctx, p.Reactions, t, ReasonReaction)
	if err != nil || !claimed {
		return verdict{decision: ignore(ReasonReaction)}, err
	}
	return v, nil
}

// signal offers a person's event of a type of its own that replies to a message
// of this account. A reply is meant here even where it looks like that of a
// client without threads: the type says so.
func (p *Pump) signal(ctx context.Context, a Account, e chat.Event, taker Taker, snap *config.Snapshot) (verdict, error) {
	about := chat.ParseRelations(e.Content).InReplyTo
	if !e.Live || about == "" || !p.personal(e.Sender, snap) {
		return verdict{decision: ignore(ReasonSignal)}, nil
	}
	sent, ours, err := p.said(ctx, e.Room, about, a.Name)
	if err != nil || !ours {
		return verdict{decision: ignore(ReasonSignal)}, err
	}
	t := Touch{Event: e, Message: sent, Person: snap.Config.Authorization.Canonical(e.Sender)}
	v, claimed, err := p.offer(ctx, []Taker{taker}, t, ReasonSignal)
	if err != nil || !claimed {
		return verdict{decision: ignore(ReasonSignal)}, err
	}
	return v, nil
}

// reply offers a person's reply to a message of any of our accounts. It is
// false when nobody claims it, and the message is like any other.
func (p *Pump) reply(ctx context.Context, a Account, e chat.Event, c Content, snap *config.Snapshot) (verdict, bool, error) {
	relations := chat.ParseRelations(e.Content)
	if relations.InReplyTo == "" || relations.Fallback || len(p.Replies) == 0 || !p.personal(e.Sender, snap) {
		return verdict{}, false, nil
	}
	var accounts []string
	for _, name := range p.Accounts.Names() {
		if user, ok := p.Accounts.UserID(name); ok {
			accounts = append(accounts, user)
		}
	}
	sent, ours, err := p.said(ctx, e.Room, relations.InReplyTo, accounts...)
	if err != nil || !ours {
		return verdict{}, false, err
	}
	v, claimed, err := p.offer(ctx, p.Replies, Touch{
		Event: e, Message: sent, Person: snap.Config.Authorization.Canonical(e.Sender), Text: c.Said(),
	}, ReasonReply)
	if claimed && v.decision.Action == Take && sent.Account != a.Name {
		v = verdict{decision: ignore(ReasonReply)}
	}
	return v, claimed, err
}

// words offers a person's message that replies to nothing. It is false when
// nobody claims it, and the message is like any other.
func (p *Pump) words(ctx context.Context, a Account, e chat.Event, c Content, thread string, snap *config.Snapshot) (verdict, bool, error) {
	relations := chat.ParseRelations(e.Content)
	if relations.InReplyTo != "" && !relations.Fallback || c.File || len(p.Words) == 0 || !p.personal(e.Sender, snap) {
		return verdict{}, false, nil
	}
	v, claimed, err := p.offer(ctx, p.Words, Touch{
		Event: e, Thread: thread, Person: snap.Config.Authorization.Canonical(e.Sender), Text: c.Said(),
	}, ReasonWords)
	if claimed && v.decision.Action == Take && v.account != a.Name {
		v = verdict{decision: ignore(ReasonWords)}
	}
	return v, claimed, err
}

// offer asks the takers in their order; the first that claims decides.
func (p *Pump) offer(ctx context.Context, takers []Taker, t Touch, reason Reason) (v verdict, claimed bool, err error) {
	for _, taker := range takers {
		taking, err := taker(ctx, t)
		switch {
		case err != nil:
			return verdict{}, false, err
		case taking.Later:
			return verdict{decision: Decision{Action: Defer, Reason: ReasonCannotTell}}, true, nil
		case taking.Claimed:
			return verdict{decision: Decision{Action: Take, Reason: reason}, account: taking.Account, do: taking.Do}, true, nil
		}
	}
	return verdict{}, false, nil
}

// said finds the delivery of one of the accounts that an event of a room is. An
// event id that is named in another room is nobody's there.
func (p *Pump) said(ctx context.Context, room, eventID string, accounts ...string) (d chat.Delivery, ours bool, err error) {
	err = p.DB.Read(ctx, func(r *store.Reader) error {
		for _, account := range accounts {
			if d, ours, err = chat.ByEvent(r, account, eventID); err != nil || ours {
				return err
			}
		}
		return nil
	})
	return d, ours && d.Room == room, err
}

// personal reports whether a sender is a person: neither one of our accounts,
// whose buttons are reactions too, nor a program of others.
func (p *Pump) personal(sender string, snap *config.Snapshot) bool {
	return !p.owns(sender) && !slices.Contains(snap.Config.BotAccounts, sender)
}
