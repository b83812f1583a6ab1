package matrix

import (
	"context"
	"maps"
	"slices"

	"maunium.net/go/mautrix"
	"maunium.net/go/mautrix/event"
	"maunium.net/go/mautrix/id"
)

// answerInvites joins the rooms the account is invited to by somebody it
// accepts. It runs before the token is journalled, so that an invitation is
// given again after a crash; joining twice is harmless. A homeserver in
// trouble makes the whole response be asked for again; a room that cannot be
// joined is left alone, and the inviter may try again.
func (s *streak) answerInvites(ctx context.Context, r *mautrix.RespSync) error {
	for _, room := range slices.Sorted(maps.Keys(r.Rooms.Invite)) {
		inviter := inviterOf(s.a.id(), r.Rooms.Invite[room].State.Events)
		if inviter == "" || s.n.cfg.AcceptInvite == nil || !s.n.cfg.AcceptInvite(ctx, s.a.Key, room.String(), inviter.String()) {
			s.a.log.Info("invitation not followed", "room", room, "inviter", inviter)
			continue
		}
		_, err := request(ctx, "join "+room.String(), func(ctx context.Context) (*mautrix.RespJoinRoom, error) {
			return s.a.api().JoinRoom(ctx, room.String(), nil)
		})
		switch {
		case err == nil:
			s.a.log.Info("joined by invitation", "room", room, "inviter", inviter)
		case KindOf(err) == KindUnreachable || KindOf(err) == KindRateLimited || ctx.Err() != nil:
			return err
		default:
			// 5xx too: a remote server that is gone answers so for ever, and
			// must not stop the sync of every other room.
			s.a.log.Warn("invitation not followed", "room", room, "inviter", inviter, "error", err)
		}
	}
	return nil
}

// inviterOf is who wrote the invitation of self; empty when the stripped state
// does not say.
func inviterOf(self id.UserID, state []*event.Event) id.UserID {
	for _, e := range state {
		if e.Type.Type == event.StateMember.Type && e.StateKey != nil && *e.StateKey == self.String() &&
			membership(&e.Content) == event.MembershipInvite {
			return e.Sender
		}
	}
	return ""
}
