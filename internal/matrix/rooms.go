package matrix

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"maunium.net/go/mautrix"
	"maunium.net/go/mautrix/event"
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
}

// Managed reports whether the room is ours to make.
func (p RoomPlan) Managed() bool {
	return !strings.HasPrefix(p.Key, "!") && !strings.HasPrefix(p.Key, "#")
}

// EnsureRooms makes, finds and joins the rooms of plans and invites who is
// missing. It may be called at every start: what is there already is left
// alone. It returns the room id by key. A room that fails does not stop the
// others; its error is in the joined error, its key not in the result.
func (n *Network) EnsureRooms(ctx context.Context, plans []RoomPlan) (map[string]string, error) {
	out := map[string]string{}
	var errs []error
	for _, p := range plans {
		room, err := n.ensureRoom(ctx, p)
		if room != "" {
			out[p.Key] = room.String()
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("room %s: %w", p.Key, err))
		}
	}
	return out, errors.Join(errs...)
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
	return joined, n.populate(ctx, router, joined, members, p.Invite)
}

// aliasLocal is the local part of a managed room's alias: key[_namespace].
func (n *Network) aliasLocal(key string) string {
	if n.cfg.Namespace == "" {
		return key
	}
	return key + "_" + n.cfg.Namespace
}

func (n *Network) findOrMake(ctx context.Context, router *Account, alias id.RoomAlias, p RoomPlan, members []*Account) (id.RoomID, error) {
	found, err := briefly(ctx, router.log, "look up "+alias.String(), func(ctx context.Context) (*mautrix.RespAliasResolve, error) {
		return router.api().ResolveAlias(ctx, alias)
	})
	if err == nil {
		return found.RoomID, nil
	}
	if KindOf(err) != KindNotFound {
		return "", err
	}
	made, err := briefly(ctx, router.log, "create "+alias.String(), func(ctx context.Context) (*mautrix.RespCreateRoom, error) {
		r, err := router.api().CreateRoom(ctx, creation(router, n.aliasLocal(p.Key), p, members))
		if errors.Is(err, mautrix.MRoomInUse) {
			// A try before this one was cut after the server had done it.
			found, err := router.api().ResolveAlias(ctx, alias)
			if err != nil {
				return nil, err
			}
			return &mautrix.RespCreateRoom{RoomID: found.RoomID}, nil
		}
		return r, err
	})
	if err != nil {
		return "", err
	}
	router.log.Info("room created", "room", made.RoomID, "alias", alias)
	return made.RoomID, nil
}

// creation is the request that makes a managed room. The alias goes with it,
// so that there is never a room of ours that the next start cannot find.
func creation(router *Account, local string, p RoomPlan, members []*Account) *mautrix.ReqCreateRoom {
	users := map[id.UserID]int{router.id(): 100}
	for _, u := range p.Admins {
		users[id.UserID(u)] = 100
	}
	rule := event.JoinRule(p.JoinRule)
	if rule == "" {
		rule = event.JoinRuleInvite
	}
	name := p.Name
	if name == "" {
		name = titled(p.Key)
	}
	var invite []id.UserID
	for _, m := range members {
		invite = append(invite, m.id())
	}
	for _, u := range p.Invite {
		invite = append(invite, id.UserID(u))
	}
	state := ""
	return &mautrix.ReqCreateRoom{
		RoomAliasName: local, Name: name, Topic: p.Topic, Preset: "private_chat",
		Invite: slices.Compact(slices.Sorted(slices.Values(invite))),
		InitialState: []*event.Event{{
			Type: event.StateJoinRules, StateKey: &state,
			Content: event.Content{Parsed: &event.JoinRulesEventContent{JoinRule: rule}},
		}},
		PowerLevelOverride: &event.PowerLevelsEventContent{
			Users: users,
			// Anybody in the room may tag threads.
			Events: map[string]int{"com.mindroom.thread.tags": 0},
		},
	}
}

// titled turns "daily_news" into "Daily News".
func titled(key string) string {
	words := strings.FieldsFunc(key, func(r rune) bool { return r == '_' || r == '-' })
	for i, w := range words {
		words[i] = strings.ToUpper(w[:1]) + w[1:]
	}
	return strings.Join(words, " ")
}

// populate invites and joins who is missing.
func (n *Network) populate(ctx context.Context, router *Account, room id.RoomID, members []*Account, people []string) error {
	have, err := n.memberships(ctx, router, room)
	if err != nil {
		return err
	}
	var errs []error
	for _, u := range people {
		// Who left or was banned is not called back: that was their or an
		// administrator's decision.
		if _, known := have[id.UserID(u)]; !known {
			errs = append(errs, n.invite(ctx, router, room, id.UserID(u)))
		}
	}
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
