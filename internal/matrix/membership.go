package matrix

import (
	"context"
	"time"

	"maunium.net/go/mautrix/event"
	"maunium.net/go/mautrix/id"
)

// Membership is the answer to "is this person in that room".
type Membership int

const (
	// CannotTell: the room's members are not loaded, or the connection that
	// feeds them is lost. Nothing may be granted on it; asking again later may
	// give another answer.
	CannotTell Membership = iota
	NotJoined
	Joined
)

func (m Membership) String() string {
	switch m {
	case Joined:
		return "joined"
	case NotJoined:
		return "not joined"
	}
	return "cannot tell"
}

// Joined reports whether user is joined to room now. A "joined" comes from
// the shared view without a request. Before it says "not joined" it asks the
// homeserver once, because a person's first message can reach one of our
// accounts a moment before their joining reaches the view.
func (n *Network) Joined(ctx context.Context, room, user string) Membership {
	joined, ok := n.view.member(id.RoomID(room), id.UserID(user))
	switch {
	case !ok:
		return CannotTell
	case joined:
		return Joined
	}
	a := n.Account(n.view.readerOf(id.RoomID(room)))
	if a == nil {
		return CannotTell
	}
	got, err := request(ctx, "ask whether "+user+" is in "+room, func(ctx context.Context) (event.MemberEventContent, error) {
		var c event.MemberEventContent
		err := a.api().StateEvent(ctx, id.RoomID(room), event.StateMember, user, &c)
		return c, err
	})
	switch {
	case KindOf(err) == KindNotFound:
		return NotJoined
	case err != nil:
		return CannotTell
	case got.Membership == event.MembershipJoin:
		return Joined
	}
	return NotJoined
}

// Room tells what is known about a room one of our accounts is in; false
// while that is not reliable.
func (n *Network) Room(room string) (RoomInfo, bool) { return n.view.room(id.RoomID(room)) }

// loadRooms reads the full state of rooms the account is the reader of. A room
// that fails stays unloaded and is tried again after the next sync, no sooner than
// in as long as is returned: 0 when the homeserver does not say, negative when
// nothing failed.
func (n *Network) loadRooms(ctx context.Context, a *Account, rooms []id.RoomID) (wait time.Duration) {
	wait = -1
	for _, room := range rooms {
		state, err := request(ctx, "read the state of "+room.String(), func(ctx context.Context) ([]*event.Event, error) {
			return a.api().StateAsArray(ctx, room)
		})
		if err != nil {
			a.log.Warn("room state not loaded; trying again", "room", room, "kind", KindOf(err), "error", err)
			wait = max(wait, after(err))
			continue
		}
		if n.view.load(a.Key, room, state) {
			n.changed(room)
		}
	}
	return wait
}

// changed tells the owner of the network that a room has other answers now.
func (n *Network) changed(rooms ...id.RoomID) {
	if n.cfg.Changed == nil {
		return
	}
	for _, room := range rooms {
		n.cfg.Changed(room.String())
	}
}
