package matrix

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"

	"maunium.net/go/mautrix"
	"maunium.net/go/mautrix/event"
	"maunium.net/go/mautrix/id"

	"mindroom/internal/chat"
	"mindroom/internal/lifecycle"
	"mindroom/internal/lifecycle/step"
	"mindroom/internal/store"
)

// streak is one uninterrupted series of sync requests of an account. It ends
// with the first failure; the next streak begins at the journalled token.
type streak struct {
	n *Network
	a *Account
	// since is the token of the last journalled response; empty at the very
	// first start and after the homeserver forgot the token.
	since  string
	origin origin
	filter string
	rooms  map[id.RoomID]bool // joined, as the homeserver last said
	wants  wants              // keys of events that could not be read yet
	// blind counts the responses in a row after which a room's state could not be
	// loaded, asked is how long the homeserver wants not to be asked for it.
	blind int
	asked time.Duration
	// idle counts the responses in a row that came at once and brought nothing.
	idle int
}

// syncLoop keeps an account in sync until ctx ends. It never gives up: what a
// person has to change first is asked for again once a minute, and one lost
// account must not stop the others. A panic over a response is a failure like any other: the response is
// asked for again, later.
func (n *Network) syncLoop(ctx context.Context, a *Account) error {
	defer n.view.release(a.Key)
	for tried := 1; ; tried++ {
		before := a.health.successes()
		err := lifecycle.Call(func() error { return n.syncStreak(ctx, a) })
		if ctx.Err() != nil {
			return nil
		}
		n.view.lost(a.Key)
		if err == nil {
			err = &Fault{Kind: KindServer, Op: "sync " + a.Key, err: errors.New("the loop ended by itself")}
		}
		kind := KindOf(err)
		if kind == "" {
			kind = KindLocal
		}
		a.health.failed(kind)
		if kind == KindTokenInvalid {
			if again := n.logInAgain(ctx, a); again != nil {
				err, kind = again, KindOf(again)
			}
		}
		if a.health.successes() > before {
			tried = 1 // it worked in between: a new trouble, not the old one
		}
		wait := backoff(tried+1, after(err))
		a.log.Warn("sync interrupted; starting again", "kind", kind, "error", err, "wait", wait)
		if !pause(ctx, wait) {
			return nil
		}
	}
}

func (n *Network) syncStreak(ctx context.Context, a *Account) error {
	since, err := n.position(ctx, a)
	if err != nil {
		return err
	}
	joined, err := request(ctx, "list the rooms of "+a.UserID, a.api().JoinedRooms)
	if err != nil {
		return err
	}
	s := &streak{n: n, a: a, since: since, filter: syncFilter(n.cfg.TimelineLimit), rooms: map[id.RoomID]bool{}, wants: wants{}}
	if since != "" {
		s.origin = continued
	}
	for _, room := range joined.JoinedRooms {
		s.rooms[room] = true
	}
	if err := s.resumeSeals(ctx); err != nil {
		return err
	}
	for timeout := time.Duration(0); ; timeout = s.patience() {
		if err := s.once(ctx, timeout); err != nil {
			return err
		}
		a.health.ok(n.cfg.Wall.Now())
		a.hears.Do(func() { close(a.heard) })
		n.signAgain(ctx, a)
		if wait := s.rest(); wait > 0 && !pause(ctx, wait) {
			return ctx.Err()
		}
	}
}

// once makes one request and journals the answer: first what must be known
// before the events are acted upon (membership, keys), then events, invitations
// and token in one transaction.
func (s *streak) once(ctx context.Context, timeout time.Duration) error {
	began := time.Now()
	r, err := s.ask(ctx, timeout)
	if err != nil {
		return err
	}
	if empty(r) && time.Since(began) < timeout/2 {
		s.idle++
	} else {
		s.idle = 0
	}
	for room := range r.Rooms.Join {
		s.rooms[room] = true
	}
	for room := range r.Rooms.Leave {
		delete(s.rooms, room)
	}
	s.n.view.adopt(s.a.Key, slices.Collect(maps.Keys(s.rooms)))
	load, changed := s.n.view.apply(s.a.Key, r)
	s.n.changed(changed...)
	if s.asked = s.n.loadRooms(ctx, s.a, load); s.asked < 0 {
		s.blind = 0
	} else {
		s.blind++
	}
	keys, err := s.hearKeys(ctx, r)
	if err != nil {
		return err
	}
	events, err := s.collect(ctx, r)
	if err != nil {
		return err
	}
	opened, err := s.openHeld(ctx, keys)
	if err != nil {
		return err
	}
	if len(events) > 0 {
		step.Reached(step.SyncRead)
	}
	if err := s.record(ctx, r, events, opened); err != nil {
		return err
	}
	if len(events) > 0 {
		step.Reached(step.SyncJournalled)
	}
	s.since, s.origin = r.NextBatch, continued
	s.askForKeys(ctx)
	s.tellUnread(ctx)
	return nil
}

func (n *Network) position(ctx context.Context, a *Account) (token string, err error) {
	err = n.cfg.DB.Read(ctx, func(r *store.Reader) (err error) {
		token, err = n.cfg.Journal.SyncPosition(r, a.UserID)
		return err
	})
	return token, err
}

// record commits events and token together, and settles what we sent and hear
// back: that is an answer too, should the other one have been lost.
func (s *streak) record(ctx context.Context, r *mautrix.RespSync, events, opened []chat.Event) error {
	echoes := map[string]string{}
	for _, part := range r.Rooms.Join {
		for _, e := range part.Timeline.Events {
			if e.Sender == s.a.id() && e.Unsigned.TransactionID != "" {
				echoes[e.Unsigned.TransactionID] = e.ID.String()
			}
		}
	}
	told, closed := news(s.a.id(), r, s.a.Key, s.n.cfg.Wall.Now())
	err := s.n.cfg.DB.Write(ctx, func(tx *store.Tx) error {
		if err := noteInvitations(tx, s.a.Key, told, closed); err != nil {
			return err
		}
		if _, err := s.n.cfg.Journal.RecordSync(tx, s.a.UserID, r.NextBatch, events); err != nil {
			return err
		}
		for _, e := range opened {
			if _, err := s.n.cfg.Journal.Open(tx, s.a.UserID, e); err != nil {
				return err
			}
		}
		for txn, event := range echoes {
			if _, err := s.n.cfg.Outbox.Echo(tx, s.a.UserID, txn, event); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("sync %s: journal %d events: %w", s.a.Key, len(events), err)
	}
	if len(told) > 0 {
		select {
		case s.a.invited <- struct{}{}:
		default: // it looks anyway
		}
	}
	return nil
}

// ask makes the request. When the homeserver does not know our token any more
// it starts over without one: the journal knows what we have seen, so nothing
// is answered twice and nothing that is new is taken for history.
func (s *streak) ask(ctx context.Context, timeout time.Duration) (*mautrix.RespSync, error) {
	r, err := s.request(ctx, timeout)
	if f, ok := errors.AsType[*Fault](err); ok && s.since != "" && f.Status == http.StatusBadRequest {
		s.a.log.Warn("the homeserver does not know our sync token; starting over from the journal", "error", err)
		s.since, s.origin = "", rebuilt
		s.n.view.release(s.a.Key)
		return s.request(ctx, 0)
	}
	return r, err
}

func (s *streak) request(ctx context.Context, timeout time.Duration) (*mautrix.RespSync, error) {
	inner, cancel := context.WithTimeout(ctx, timeout+requestTimeout)
	defer cancel()
	r, err := s.a.api().FullSyncRequest(inner, mautrix.ReqSync{
		Since: s.since, FilterID: s.filter, Timeout: int(timeout.Milliseconds()), SetPresence: event.PresenceOnline,
	})
	if err != nil {
		return nil, judge(ctx, "sync "+s.a.Key, err)
	}
	if r == nil || r.NextBatch == "" {
		return nil, &Fault{Kind: KindServer, Op: "sync " + s.a.Key, err: errors.New("an answer without next_batch")}
	}
	return r, nil
}

// syncFilter leaves out what nobody here reads: presence, typing and receipts.
// Members are not loaded lazily: the view must see every change.
func syncFilter(timeline int) string {
	none := map[string]any{"not_types": []string{"*"}}
	b, err := json.Marshal(map[string]any{
		"presence": none,
		"room": map[string]any{
			"ephemeral": none,
			"timeline":  map[string]any{"limit": timeline},
		},
	})
	if err != nil {
		panic(err) // a literal without unmarshallable parts
	}
	return string(b)
}
