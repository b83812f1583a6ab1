package dispatch

import (
	"context"
	"slices"

	"mindroom/internal/chat"
	"mindroom/internal/config"
	"mindroom/internal/store"
	"mindroom/internal/tool"
)

// Command is a message to the program itself and who is to answer it.
type Command struct {
	// Account answers, as journal and outbox name it; Entity is the configured
	// name behind it.
	Account, Entity string
	EventID, Room   string
	// Thread is the root of the thread it was said in; empty for the room itself.
	Thread string
	// Sender is the Matrix id it came from, Person whom that id speaks for.
	Sender, Person string
	// Text is what was said; it begins with "!".
	Text string
	// Spoken: it is the transcript of a voice message.
	Spoken bool
}

// Commands takes commands in the transaction that takes their rows. The same
// event again, from whichever account, must be known and change nothing.
type Commands interface {
	Accept(tx *store.Tx, c Command) error
}

// command decides what becomes of a command: one account of the room takes it,
// the others and programs of others are silent.
func (p *Pump) command(ctx context.Context, a Account, e chat.Event, c Content, snap *config.Snapshot) (verdict, error) {
	if p.Commands == nil || slices.Contains(snap.Config.BotAccounts, e.Sender) {
		return verdict{decision: ignore(ReasonCommand)}, nil
	}
	switch p.takesCommands(ctx, a, e.Room) {
	case tool.No:
		return verdict{decision: ignore(ReasonCommand)}, nil
	case tool.CannotTell:
		return verdict{decision: Decision{Action: Defer, Reason: ReasonCannotTell}}, nil
	}
	thread, err := p.thread(ctx, e, c)
	if err != nil {
		return verdict{}, err
	}
	entity, _ := p.Accounts.Entity(a.UserID)
	text, _ := c.Command()
	command := Command{
		Account: a.Name, Entity: entity, EventID: e.EventID, Room: e.Room, Thread: thread,
		Sender: e.Sender, Person: snap.Config.Authorization.Canonical(e.Sender), Text: text, Spoken: c.Spoken(),
	}
	return verdict{
		decision: Decision{Action: Take, Reason: ReasonCommand},
		do:       func(tx *store.Tx) error { return p.Commands.Accept(tx, command) },
	}, nil
}

// takesCommands says whether commands of a room are this account's: the
// router's where it is in the room, else the first entity's by name. Who asks
// heard the command and so is there. Two that disagree while somebody comes or
// goes are told apart by Commands, which knows an event it has accepted.
func (p *Pump) takesCommands(ctx context.Context, a Account, room string) tool.Answer {
	order := slices.Sorted(slices.Values(p.Accounts.Names()))
	if i := slices.Index(order, p.Router); i > 0 {
		order = slices.Insert(slices.Delete(order, i, i+1), 0, p.Router)
	}
	for _, name := range order {
		user, ok := p.Accounts.UserID(name)
		switch {
		case !ok:
			continue
		case user == a.UserID:
			return tool.Yes
		}
		switch p.Rooms.Joined(ctx, room, user) {
		case tool.Yes:
			return tool.No
		case tool.CannotTell:
			return tool.CannotTell
		}
	}
	return tool.No
}
