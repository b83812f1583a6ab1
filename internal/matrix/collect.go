package matrix

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"maunium.net/go/mautrix"
	"maunium.net/go/mautrix/event"
	"maunium.net/go/mautrix/id"

	"mindroom/internal/chat"
	"mindroom/internal/store"
)

// collect turns a sync response into rows for the journal, room by room, with
// gaps filled and each event judged live or history.
func (s *streak) collect(ctx context.Context, r *mautrix.RespSync) ([]chat.Event, error) {
	var out []chat.Event
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
			row, err := s.row(ctx, room, e, false)
			if err != nil {
				return nil, err
			}
			out = append(out, row)
		}
	}
	return out, nil
}

func (s *streak) collectRoom(ctx context.Context, room id.RoomID, state []*event.Event, t mautrix.SyncTimeline) ([]chat.Event, error) {
	events, known := t.Events, map[id.EventID]bool{}
	// The journal skips what it knows by itself; it only has to be asked where
	// the answer decides what is new.
	if s.origin == rebuilt || s.origin == continued && t.Limited {
		ask := s.known
		if s.origin == rebuilt {
			ask = func(ctx context.Context, events []*event.Event) (map[id.EventID]bool, error) {
				return s.recalled(ctx, room, events)
			}
		}
		var err error
		if known, err = ask(ctx, events); err != nil {
			return nil, err
		}
		// A room we came into just now has no gap before it.
		if t.Limited && len(known) == 0 && lastJoin(events, s.a.id()) < 0 {
			older, err := s.backfill(ctx, room, t.PrevBatch)
			if err != nil {
				return nil, err
			}
			events = append(older, events...)
		}
	}
	alive := stretch{
		self: s.a.id(), created: s.a.Created, origin: s.origin,
		state: state, events: events, known: known,
	}.alive()
	var out []chat.Event
	for i, e := range events {
		if e.ID == "" || known[e.ID] {
			continue
		}
		row, err := s.row(ctx, room, e, alive[i])
		if err != nil {
			return nil, err
		}
		out = append(out, row)
	}
	return out, nil
}

// backfill reads backwards from a gap until an event that is known, our own
// joining, the start of the room, or the bound. It returns what is not known,
// oldest first.
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
		known, err := s.recalled(ctx, room, r.Chunk)
		if err != nil {
			return nil, err
		}
		for _, e := range r.Chunk {
			if known[e.ID] {
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

// known tells which events the journal has.
func (s *streak) known(ctx context.Context, events []*event.Event) (map[id.EventID]bool, error) {
	out := map[id.EventID]bool{}
	err := s.n.cfg.DB.Read(ctx, func(r *store.Reader) error {
		for _, e := range events {
			if _, found, err := s.n.cfg.Journal.Find(r, s.a.UserID, e.ID.String()); err != nil {
				return err
			} else if found {
				out[e.ID] = true
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("sync %s: %w", s.a.Key, err)
	}
	return out, nil
}

// recalled tells which events of a room the journal has or may have had: what is
// no newer than what retention deleted there counts as known. It is asked where
// the homeserver may tell again what it told before.
func (s *streak) recalled(ctx context.Context, room id.RoomID, events []*event.Event) (map[id.EventID]bool, error) {
	out, err := s.known(ctx, events)
	if err != nil {
		return nil, err
	}
	var through int64
	err = s.n.cfg.DB.Read(ctx, func(r *store.Reader) (err error) {
		through, err = s.n.cfg.Journal.Forgotten(r, s.a.UserID, room.String())
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("sync %s: %w", s.a.Key, err)
	}
	for _, e := range events {
		if e.Timestamp <= through {
			out[e.ID] = true
		}
	}
	return out, nil
}

// row is an event as the journal keeps it: opened if it came encrypted, held if
// its key is missing.
func (s *streak) row(ctx context.Context, room id.RoomID, e *event.Event, live bool) (chat.Event, error) {
	row := chat.Event{
		EventID: e.ID.String(), Room: room.String(), Sender: e.Sender.String(), Type: e.Type.Type,
		OriginTS: e.Timestamp, Content: content(e), Redacts: e.Redacts.String(), Live: live,
	}
	if e.Type.Type != event.EventEncrypted.Type || e.StateKey != nil || s.a.device == nil {
		return row, nil
	}
	err := s.open(ctx, &row)
	return row, err
}

// content is the content as the server sent it, which is what relations and
// digests are made from.
func content(e *event.Event) json.RawMessage {
	if len(e.Content.VeryRaw) == 0 {
		return json.RawMessage("{}")
	}
	return e.Content.VeryRaw
}

func (a *Account) id() id.UserID { return id.UserID(a.UserID) }
