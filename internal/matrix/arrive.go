package matrix

import (
	"encoding/json"
	"slices"
	"time"

	"maunium.net/go/mautrix/event"
	"maunium.net/go/mautrix/id"
)

// roomPast is what is known about a room before a sync response is looked at.
// The zero value is a room the journal has nothing of.
type roomPast struct {
	// known tells which of the events asked about are in the journal.
	known map[id.EventID]bool
	// newest is the origin time of the newest journalled event; zero for none.
	newest time.Time
}

// stretch is one room's part of a sync response, the gap before it filled as
// far as it could be.
type stretch struct {
	self    id.UserID
	created time.Time // when the account was made or first used by us
	resumed bool      // the response continues a sync token
	state   []*event.Event
	events  []*event.Event // oldest first
	past    roomPast
}

// alive decides for each event whether it may start work (true) or is history
// (false). It is pure; the rules, first match wins:
//
//	known already                                  its row decides, answer unused
//	before our own join in this stretch            history
//	token continued                                live
//	rebuilt, after the last known event            live
//	rebuilt, none known here, newer than all known live
//	rebuilt, else                                  history
//	first sync, before our own join in the state   history
//	first sync, older than the account             history
//	first sync, else                               live
func (s stretch) alive() []bool {
	out := make([]bool, len(s.events))
	joined := lastJoin(s.events, s.self)
	lastKnown := -1
	for i, e := range s.events {
		if s.past.known[e.ID] {
			lastKnown = i
		}
	}
	floor := s.created
	if at := joinTime(s.state, s.self); at.After(floor) {
		floor = at
	}
	for i, e := range s.events {
		at := time.UnixMilli(e.Timestamp)
		switch {
		case i < joined:
		case s.resumed:
			out[i] = true
		case lastKnown >= 0:
			out[i] = i > lastKnown
		case !s.past.newest.IsZero():
			out[i] = at.After(s.past.newest)
		default:
			// The server's clock and ours differ; a join seen in this very
			// stretch says more than either.
			out[i] = joined >= 0 || !at.Before(floor)
		}
	}
	return out
}

// lastJoin is the index of the newest event by which self came into the room;
// -1 when there is none. A change of name is a join too, but from join.
func lastJoin(events []*event.Event, self id.UserID) int {
	for i, e := range slices.Backward(events) {
		if enters(e, self) {
			return i
		}
	}
	return -1
}

func enters(e *event.Event, self id.UserID) bool {
	return e.Type.Type == event.StateMember.Type && e.StateKey != nil && *e.StateKey == self.String() &&
		membership(&e.Content) == event.MembershipJoin && membership(e.Unsigned.PrevContent) != event.MembershipJoin
}

// joinTime is when self's membership in a state block was written; zero when
// it is not there.
func joinTime(state []*event.Event, self id.UserID) time.Time {
	for _, e := range state {
		if e.Type.Type == event.StateMember.Type && e.StateKey != nil && *e.StateKey == self.String() &&
			membership(&e.Content) == event.MembershipJoin {
			return time.UnixMilli(e.Timestamp)
		}
	}
	return time.Time{}
}

func membership(c *event.Content) event.Membership {
	if c == nil {
		return ""
	}
	var m struct {
		Membership event.Membership `json:"membership"`
	}
	// Content that is no object has no membership.
	_ = json.Unmarshal(c.VeryRaw, &m)
	return m.Membership
}

// rawContent is the content as the server sent it. A redaction's target stands
// beside the content in older room versions; it is put where newer ones have
// it, so that readers of the journal look in one place.
func rawContent(e *event.Event) json.RawMessage {
	raw := e.Content.VeryRaw
	if len(raw) == 0 {
		raw = json.RawMessage("{}")
	}
	if e.Redacts == "" {
		return raw
	}
	var m map[string]json.RawMessage
	if json.Unmarshal(raw, &m) != nil {
		return raw
	}
	if _, ok := m["redacts"]; ok || m == nil {
		return raw
	}
	target, err := json.Marshal(e.Redacts)
	if err != nil {
		return raw
	}
	m["redacts"] = target
	if merged, err := json.Marshal(m); err == nil {
		return merged
	}
	return raw
}
