package matrix

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"maunium.net/go/mautrix"
	"maunium.net/go/mautrix/event"
	"maunium.net/go/mautrix/id"
)

// collect turns a sync response into rows for the journal, room by room, with
// gaps filled and each event judged live or history.
func (s *streak) collect(ctx context.Context, r *mautrix.RespSync) ([]Event, error) {
	var out []Event
	for _, room := range slices.Sorted(maps.Keys(r.Rooms.Join)) {
		part := r.Rooms.Join[room]
		rows, err := s.collectRoom(ctx, room, part.State.Events, part.Timeline)
		if err != nil {
			return nil, err
		}
		out = append(out, rows...)
	}
	for _, room := range slices.Sorted(maps.Keys(r.Rooms.Leave)) {
		part := r.Rooms.Leave[room]
		// The last things said before we left: known, but nobody answers in a
		// room they left.
		for _, e := range part.Timeline.Events {
			out = append(out, row(room, e, false))
		}
	}
	return out, nil
}

func (s *streak) collectRoom(ctx context.Context, room id.RoomID, state []*event.Event, t mautrix.SyncTimeline) ([]Event, error) {
	events := t.Events
	past, err := s.past(ctx, room, events)
	if err != nil {
		return nil, err
	}
	// A gap matters where we were before: after a token, or in a room the
	// journal knows. A room we came into just now has none.
	gap := t.Limited && (s.since != "" || !past.newest.IsZero()) && lastJoin(events, s.a.id()) < 0 && len(past.known) == 0
	if gap {
		older, err := s.backfill(ctx, room, t.PrevBatch)
		if err != nil {
			return nil, err
		}
		events = append(older, events...)
		if past, err = s.past(ctx, room, events); err != nil {
			return nil, err
		}
	}
	alive := stretch{
		self: s.a.id(), created: s.a.Created, resumed: s.since != "",
		state: state, events: events, past: past,
	}.alive()
	var out []Event
	for i, e := range events {
		if e.ID != "" && !past.known[e.ID] {
			out = append(out, row(room, e, alive[i]))
		}
	}
	return out, nil
}

// backfill reads backwards from a gap until an event that is known, our own
// joining, the start of the room, or the bound. It returns the events oldest
// first, the known ones left out.
func (s *streak) backfill(ctx context.Context, room id.RoomID, from string) ([]*event.Event, error) {
	const page = 100
	var found []*event.Event // newest first
	limit := s.n.cfg.BackfillLimit
	for len(found) < limit && from != "" {
		r, err := request(ctx, "read the history of "+room.String(), func(ctx context.Context) (*mautrix.RespMessages, error) {
			return s.a.api().Messages(ctx, room, from, "", mautrix.DirectionBackward, nil, min(page, limit-len(found)))
		})
		if err != nil {
			if KindOf(err) == KindForbidden || KindOf(err) == KindNotFound {
				break // we are out of the room, or its history is not for us
			}
			return nil, err
		}
		past, err := s.past(ctx, room, r.Chunk)
		if err != nil {
			return nil, err
		}
		for _, e := range r.Chunk {
			if past.known[e.ID] {
				slices.Reverse(found)
				return found, nil
			}
			found = append(found, e)
			if enters(e, s.a.id()) {
				slices.Reverse(found)
				return found, nil
			}
		}
		if len(r.Chunk) == 0 || r.End == from {
			break
		}
		from = r.End
	}
	if len(found) >= limit {
		s.a.log.Warn("a gap in a room is longer than is read back; what is older is not answered", "room", room, "events", len(found))
	}
	slices.Reverse(found)
	return found, nil
}

func (s *streak) past(ctx context.Context, room id.RoomID, events []*event.Event) (roomPast, error) {
	ids := make([]string, len(events))
	for i, e := range events {
		ids[i] = e.ID.String()
	}
	known, err := s.n.cfg.Journal.Known(ctx, s.a.Key, ids)
	if err != nil {
		return roomPast{}, fmt.Errorf("sync %s: look up events of %s: %w", s.a.Key, room, err)
	}
	newest, err := s.n.cfg.Journal.Newest(ctx, s.a.Key, room.String())
	if err != nil {
		return roomPast{}, fmt.Errorf("sync %s: look up %s: %w", s.a.Key, room, err)
	}
	p := roomPast{newest: newest, known: make(map[id.EventID]bool, len(known))}
	for _, e := range events {
		if known[e.ID.String()] {
			p.known[e.ID] = true
		}
	}
	return p, nil
}

func row(room id.RoomID, e *event.Event, live bool) Event {
	out := Event{
		ID: e.ID.String(), Room: room.String(), Sender: e.Sender.String(), Type: e.Type.Type,
		At: time.UnixMilli(e.Timestamp).UTC(), Content: rawContent(e), Live: live,
	}
	if e.StateKey != nil {
		key := *e.StateKey
		out.StateKey = &key
	}
	return out
}

func (a *Account) id() id.UserID { return id.UserID(a.UserID) }
