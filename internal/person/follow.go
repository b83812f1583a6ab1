package person

import (
	"context"
	"fmt"
	"iter"

	"maunium.net/go/mautrix"
	"maunium.net/go/mautrix/event"

	"mindroom/internal/matrix/seal"
)

// pollMillis is how long the homeserver may hold one sync request.
const pollMillis = 20_000

// filter asks for enough of each timeline that a person who looks away for a
// moment misses nothing; servers give twenty events a room unless told.
const filter = `{"presence":{"not_types":["*"]},"room":{"timeline":{"limit":1000},"ephemeral":{"not_types":["*"]}}}`

// feed is everything seen so far and the place where to go on. The token of
// turn is held by whoever asks the server next (sentence 2 of doc.go); the
// rest is only touched by that holder or under it.
type feed struct {
	turn    chan struct{}
	since   string
	events  []Event
	closed  []closed // shown, and not read yet
	asked   map[seal.Session]bool
	seen    map[string]bool
	invited map[string]bool
}

// closed is an event whose key is not there; old when it was there before we
// followed.
type closed struct {
	*event.Event
	old bool
}

func newFeed() feed {
	f := feed{turn: make(chan struct{}, 1), seen: map[string]bool{}, invited: map[string]bool{}, asked: map[seal.Session]bool{}}
	f.turn <- struct{}{}
	return f
}

// WaitFor returns the first event, in order of arrival, for which want is
// true: among those already seen, else by following until the context ends.
func (c *Client) WaitFor(ctx context.Context, want func(Event) bool) (Event, error) {
	for e, err := range c.Follow(ctx) {
		if err != nil {
			return Event{}, err
		}
		if want(e) {
			return e, nil
		}
	}
	return Event{}, fmt.Errorf("wait for an event: %w", context.Cause(ctx))
}

// WaitInvite follows until the person is invited to a room, and returns the
// room id. Rooms already joined or declined are not given again.
func (c *Client) WaitInvite(ctx context.Context) (string, error) {
	for {
		room, err := c.withTurn(ctx, func() (string, error) {
			if room := c.feed.takeInvite(); room != "" {
				return room, nil
			}
			if err := c.poll(ctx, pollMillis); err != nil {
				return "", err
			}
			return c.feed.takeInvite(), nil
		})
		if err != nil || room != "" {
			return room, err
		}
	}
}

func (f *feed) takeInvite() string {
	for room := range f.invited {
		delete(f.invited, room)
		return room
	}
	return ""
}

// Catch asks the homeserver once for what there is, and returns without waiting for
// more. It brings the keys that were sent while nobody followed.
func (c *Client) Catch(ctx context.Context) error {
	_, err := c.withTurn(ctx, func() (string, error) { return "", c.poll(ctx, 0) })
	return err
}

// Follow yields every event since the first sync, those already seen first,
// and goes on until the caller stops or the context ends. An error ends it.
func (c *Client) Follow(ctx context.Context) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		for at := 0; ; {
			fresh, err := c.after(ctx, at)
			if err != nil {
				yield(Event{}, err)
				return
			}
			for _, e := range fresh {
				if !yield(e, nil) {
					return
				}
			}
			at += len(fresh)
		}
	}
}

// after returns the events from index at on; when there are none it asks the
// server once.
func (c *Client) after(ctx context.Context, at int) (fresh []Event, err error) {
	_, err = c.withTurn(ctx, func() (string, error) {
		if len(c.feed.events) == at {
			if err := c.poll(ctx, pollMillis); err != nil {
				return "", err
			}
		}
		fresh = c.feed.events[at:len(c.feed.events):len(c.feed.events)]
		return "", nil
	})
	return fresh, err
}

func (c *Client) withTurn(ctx context.Context, do func() (string, error)) (string, error) {
	select {
	case <-c.feed.turn:
		defer func() { c.feed.turn <- struct{}{} }()
		return do()
	case <-ctx.Done():
		return "", fmt.Errorf("follow as %s: %w", c.UserID, context.Cause(ctx))
	}
}

// poll makes one sync request, which the homeserver may hold for so long, and
// appends what is new. Called with the turn.
func (c *Client) poll(ctx context.Context, millis int) error {
	f := &c.feed
	req := mautrix.ReqSync{Since: f.since, Timeout: millis, FilterID: filter}
	if f.since == "" {
		req.Timeout = 0
	}
	r, err := c.api.FullSyncRequest(ctx, req)
	if err != nil {
		return fmt.Errorf("follow as %s: %w", c.UserID, err)
	}
	c.hearRooms(r)
	if err := c.hearKeys(ctx, r); err != nil {
		return err
	}
	for room, joined := range r.Rooms.Join {
		delete(f.invited, room.String())
		for _, e := range append(joined.State.Events, joined.Timeline.Events...) {
			if !f.seen[e.ID.String()] {
				f.seen[e.ID.String()] = true
				shown := c.opened(ctx, room.String(), e)
				f.events = append(f.events, shown)
				if shown.Encrypted && shown.Type == event.EventEncrypted.Type {
					e.RoomID = room
					f.closed = append(f.closed, closed{e, f.since == ""})
				}
			}
		}
	}
	for room := range r.Rooms.Leave {
		delete(f.invited, room.String())
	}
	for room := range r.Rooms.Invite {
		f.invited[room.String()] = true
	}
	f.since = r.NextBatch
	return nil
}
