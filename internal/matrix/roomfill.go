package matrix

import (
	"context"
	"errors"
	"fmt"

	"maunium.net/go/mautrix"
	"maunium.net/go/mautrix/event"
	"maunium.net/go/mautrix/id"
)

// populate joins the accounts that are missing, then invites people: what they say
// as soon as they are in, is said after the accounts came and so is heard.
func (n *Network) populate(ctx context.Context, router *Account, room id.RoomID, members []*Account, people []string) error {
	have, err := n.memberships(ctx, router, room)
	if err != nil {
		return err
	}
	var errs []error
	for _, m := range members {
		if have[m.id()] == event.MembershipJoin {
			continue
		}
		if have[m.id()] != event.MembershipInvite {
			if err := n.invite(ctx, router, room, m.id()); err != nil {
				errs = append(errs, err)
				continue
			}
		}
		_, err := n.join(ctx, m, room.String())
		errs = append(errs, err)
	}
	for _, u := range people {
		// Who left or was banned is not called back: that was their or an
		// administrator's decision.
		if _, known := have[id.UserID(u)]; !known {
			have[id.UserID(u)] = event.MembershipInvite
			errs = append(errs, n.invite(ctx, router, room, id.UserID(u)))
		}
	}
	return errors.Join(errs...)
}

func (n *Network) memberships(ctx context.Context, a *Account, room id.RoomID) (map[id.UserID]event.Membership, error) {
	r, err := briefly(ctx, a.log, "read the members of "+room.String(), func(ctx context.Context) (*mautrix.RespMembers, error) {
		return a.api().Members(ctx, room)
	})
	if err != nil {
		return nil, err
	}
	out := make(map[id.UserID]event.Membership, len(r.Chunk))
	for _, e := range r.Chunk {
		if e.StateKey != nil {
			out[id.UserID(*e.StateKey)] = membership(&e.Content)
		}
	}
	return out, nil
}

func (n *Network) invite(ctx context.Context, a *Account, room id.RoomID, user id.UserID) error {
	_, err := briefly(ctx, a.log, "invite "+user.String()+" to "+room.String(), func(ctx context.Context) (*mautrix.RespInviteUser, error) {
		return a.api().InviteUser(ctx, room, &mautrix.ReqInviteUser{UserID: user})
	})
	return err
}

// join enters a room by id or alias; joining again is no error.
func (n *Network) join(ctx context.Context, a *Account, room string) (id.RoomID, error) {
	r, err := briefly(ctx, a.log, "join "+room+" as "+a.UserID, func(ctx context.Context) (*mautrix.RespJoinRoom, error) {
		return a.api().JoinRoom(ctx, room, nil)
	})
	if err != nil {
		return "", err
	}
	return r.RoomID, nil
}

// enterForeign brings our accounts into a room we did not make. The router
// goes first and invites the others where it may.
func (n *Network) enterForeign(ctx context.Context, router *Account, members []*Account, room string) (id.RoomID, error) {
	entered, err := n.join(ctx, router, room)
	if err != nil {
		return "", fmt.Errorf("invite %s there first: %w", router.UserID, err)
	}
	var errs []error
	for _, m := range members {
		if _, err := n.join(ctx, m, entered.String()); err == nil {
			continue
		}
		if err := n.invite(ctx, router, entered, m.id()); err != nil {
			errs = append(errs, err)
			continue
		}
		_, err := n.join(ctx, m, entered.String())
		errs = append(errs, err)
	}
	return entered, errors.Join(errs...)
}
