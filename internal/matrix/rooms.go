package matrix

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"maunium.net/go/mautrix/id"
)

// RoomPlan is a room as the configuration wants it.
type RoomPlan struct {
	// Key is the managed room's key, or "!id:server" or "#alias:server" of a
	// room somebody else made, which is joined and never changed.
	Key string
	// Name and Topic are used when the room is made; an empty name becomes the
	// key in title case.
	Name, Topic string
	// Members are the keys of our accounts that belong in the room.
	Members []string
	// Invite lists the user ids of people who belong in a managed room.
	Invite []string
	// Admins lists user ids that get power 100 when the room is made.
	Admins []string
	// JoinRule is "invite" (also when empty), "public" or "knock".
	JoinRule string
	// Encryption of a managed room; the zero value leaves everything as it is.
	Encryption Encryption
}

// Managed reports whether the room is ours to make.
func (p RoomPlan) Managed() bool {
	return !strings.HasPrefix(p.Key, "!") && !strings.HasPrefix(p.Key, "#")
}

// EnsureRooms makes, finds and joins the rooms of plans and invites who is
// missing. It may be called at every start, and again: what is there already is left
// alone. It returns the room id by key, and the plans that failed, whose errors are
// in the joined error. A room that fails does not stop the others; its key is in
// the result only if it was entered.
func (n *Network) EnsureRooms(ctx context.Context, plans []RoomPlan) (rooms map[string]string, failed []RoomPlan, err error) {
	rooms = map[string]string{}
	var errs []error
	for _, p := range plans {
		room, err := n.ensureRoom(ctx, p)
		if room != "" {
			rooms[p.Key] = room.String()
		}
		if err != nil {
			errs, failed = append(errs, fmt.Errorf("room %s: %w", p.Key, err)), append(failed, p)
		}
	}
	return rooms, failed, errors.Join(errs...)
}

func (n *Network) ensureRoom(ctx context.Context, p RoomPlan) (id.RoomID, error) {
	router := n.Account(RouterKey)
	if router == nil {
		return "", errors.New("the router account is not ready; call Ensure for it first")
	}
	var members []*Account
	for _, key := range p.Members {
		if a := n.Account(key); a != nil && a != router {
			members = append(members, a)
		}
	}
	if !p.Managed() {
		return n.enterForeign(ctx, router, members, p.Key)
	}
	local := n.aliasLocal(p.Key)
	alias := id.NewRoomAlias(local, router.id().Homeserver())
	room, err := n.findOrMake(ctx, router, alias, p, members)
	if err != nil {
		return "", err
	}
	joined, err := n.join(ctx, router, room.String())
	if err != nil {
		return "", fmt.Errorf("the alias %s leads to a room the router cannot enter: invite %s there or remove the alias: %w", alias, router.UserID, err)
	}
	// Before anybody is let in, so that nothing is said in clear that need not be.
	if err := n.encryptRoom(ctx, router, joined, p); err != nil {
		return "", err
	}
	return joined, n.populate(ctx, router, joined, members, p.Invite)
}

// aliasLocal is the local part of a managed room's alias: key[_namespace].
func (n *Network) aliasLocal(key string) string {
	if n.cfg.Namespace == "" {
		return key
	}
	return key + "_" + n.cfg.Namespace
}
