package matrix

import (
	"context"
	"errors"
	"slices"

	"maunium.net/go/mautrix"
	"maunium.net/go/mautrix/event"
	"maunium.net/go/mautrix/id"
)

// quietMessages is how many messages a room may hold and still count as empty
// (spec/runtime.md 3.3).
const quietMessages = 2

// Quiet reports whether so little was said in a room that it counts as empty, and
// nothing by the router, who reads it. It asks the homeserver.
func (n *Network) Quiet(ctx context.Context, room string) (bool, error) {
	router := n.Account(RouterKey)
	if router == nil {
		return false, errors.New("the router account is not ready; call Ensure for it first")
	}
	said := &mautrix.FilterPart{Types: []event.Type{event.EventMessage, event.EventEncrypted}}
	found, from := 0, ""
	for {
		r, err := briefly(ctx, router.log, "look into "+room, func(ctx context.Context) (*mautrix.RespMessages, error) {
			return router.api().Messages(ctx, id.RoomID(room), from, "", mautrix.DirectionBackward, said, quietMessages+1)
		})
		if err != nil {
			return false, err
		}
		found += len(r.Chunk)
		spoke := slices.ContainsFunc(r.Chunk, func(e *event.Event) bool { return e.Sender == router.id() })
		switch {
		case spoke, found > quietMessages:
			return false, nil
		case r.End == "" || r.End == from:
			return true, nil
		}
		from = r.End
	}
}

// Keys reports whether the account has keys for encrypted rooms, and whether the
// homeserver was told of them.
func (a *Account) Keys() (has, shown bool) { return a.device != nil, a.presented.Load() }
