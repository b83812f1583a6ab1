package matrix

import (
	"context"
	"errors"
	"slices"
	"strings"

	"maunium.net/go/mautrix"
	"maunium.net/go/mautrix/event"
	"maunium.net/go/mautrix/id"
)

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
	if err := able(router, p); err != nil {
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
	// People are invited once the agents are there (populate).
	state := ""
	return &mautrix.ReqCreateRoom{
		RoomAliasName: local, Name: name, Topic: p.Topic, Preset: "private_chat",
		Invite: slices.Compact(slices.Sorted(slices.Values(invite))),
		InitialState: append(sealedState(p), &event.Event{
			Type: event.StateJoinRules, StateKey: &state,
			Content: event.Content{Parsed: &event.JoinRulesEventContent{JoinRule: rule}},
		}),
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
