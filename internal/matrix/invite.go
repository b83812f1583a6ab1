package matrix

import (
	"context"
	"time"

	"maunium.net/go/mautrix"
	"maunium.net/go/mautrix/event"
	"maunium.net/go/mautrix/id"

	"mindroom/internal/lifecycle"
)

// inviteAge is how long an invitation is tried to be followed: after a day a remote
// server that is gone is taken to be gone.
const inviteAge = 24 * time.Hour

// errand is how far an account is with one invitation. It is not stored: a new
// process tries at once.
type errand struct {
	tried int
	due   time.Time
}

// followInvites joins the rooms an account is invited to by somebody it accepts,
// until ctx ends. It is no part of the sync, because a room far away can take
// minutes to join, and a homeserver can limit joins for longer: meanwhile the
// account hears and says everything else.
func (n *Network) followInvites(ctx context.Context, a *Account) error {
	errands := map[id.RoomID]*errand{}
	for tried := 1; ; {
		rows, err := n.rows.invitations(ctx, a.Key)
		wait := repair
		if err == nil {
			wait, tried = n.runErrands(ctx, a, rows, errands), 1
		} else if ctx.Err() == nil {
			a.log.Error("invitations not read; trying again", "error", err)
			wait = backoff(tried, 0)
			tried++
		}
		timer := time.NewTimer(wait)
		select {
		case <-a.invited:
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil
		}
		timer.Stop()
	}
}

// runErrands tries what is due and returns how long until something else is.
func (n *Network) runErrands(ctx context.Context, a *Account, rows []invitation, errands map[id.RoomID]*errand) time.Duration {
	next := repair
	for _, row := range rows {
		e := errands[row.Room]
		if e == nil {
			e = &errand{}
			errands[row.Room] = e
		}
		if wait := time.Until(e.due); wait > 0 {
			next = min(next, wait)
			continue
		}
		e.tried++
		again := time.Duration(0)
		// A panic over one invitation must not end the following of others.
		err := lifecycle.Call(func() error {
			again = n.followInvite(ctx, a, row, e.tried)
			return nil
		})
		if ctx.Err() != nil {
			return next
		}
		if err != nil {
			a.log.Error("an invitation is given up", "room", row.Room, "error", err)
		}
		if again > 0 {
			e.due = time.Now().Add(again)
			next = min(next, again)
			continue
		}
		delete(errands, row.Room)
		if err := n.rows.settleInvitation(ctx, row); err != nil {
			// It is followed once more, which is harmless.
			a.log.Error("an invitation that was dealt with stays", "room", row.Room, "error", err)
		}
	}
	return next
}

// followInvite follows one invitation, or decides not to; it returns how long to
// wait before another try, 0 for none.
func (n *Network) followInvite(ctx context.Context, a *Account, row invitation, tried int) time.Duration {
	log := a.log.With("room", row.Room, "inviter", row.Inviter)
	if row.Inviter == "" || n.cfg.AcceptInvite == nil || !n.cfg.AcceptInvite(ctx, a.Key, row.Room.String(), row.Inviter.String()) {
		log.Info("invitation not followed")
		return 0
	}
	_, err := request(ctx, "join "+row.Room.String(), func(ctx context.Context) (*mautrix.RespJoinRoom, error) {
		return a.api().JoinRoom(ctx, row.Room.String(), nil)
	})
	kind := KindOf(err)
	switch {
	case ctx.Err() != nil:
		return 0 // the next start follows it
	case err == nil:
		log.Info("joined by invitation")
		return 0
	case (kind.Retryable() || kind == KindTokenInvalid) && n.cfg.Wall.Now().Sub(row.Told) < inviteAge:
		wait := backoff(tried, after(err))
		log.Warn("invitation not followed yet; trying again", "kind", kind, "error", err, "wait", wait)
		return wait
	}
	log.Warn("invitation not followed; the inviter may try again", "kind", kind, "error", err)
	return 0
}

// news are the invitations of a response, and the rooms it has other news of, for
// which none is open any more.
func news(self id.UserID, r *mautrix.RespSync, account string, at time.Time) (told []invitation, closed []id.RoomID) {
	for room, part := range r.Rooms.Invite {
		told = append(told, invitation{Account: account, Room: room, Inviter: inviterOf(self, part.State.Events), Told: at})
	}
	for room := range r.Rooms.Join {
		closed = append(closed, room)
	}
	for room := range r.Rooms.Leave {
		closed = append(closed, room)
	}
	return told, closed
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
