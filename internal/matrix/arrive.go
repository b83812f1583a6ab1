package matrix

import (
	"encoding/json"
	"slices"
	"time"

	"maunium.net/go/mautrix/event"
	"maunium.net/go/mautrix/id"
)

// origin says how a sync response came about.
type origin int

const (
	first     origin = iota // the account never synced
	continued               // it goes on from a token
	rebuilt                 // the homeserver forgot our token; the journal has what came before
)

// stretch is one room's part of a sync response, the gap before it filled as
// far as it could be.
type stretch struct {
	self    id.UserID
	created time.Time // when the account was made or first used by us
	origin  origin
	state   []*event.Event
	events  []*event.Event      // oldest first
	known   map[id.EventID]bool // in the journal already
}

// alive decides for each event whether it may start work (true) or is history
// (false). It is pure; the rules, first match wins:
//
//	known already                        its row decides, answer unused
//	before our own join in this stretch  history
//	continued                            live
//	rebuilt, some known: after the last  live
//	rebuilt, some known: before it       history
//	after our own join in this stretch   live
//	before our own join in the state     history
//	older than the account               history
//	else                                 live
func (s stretch) alive() []bool {
	out := make([]bool, len(s.events))
	joined := lastJoin(s.events, s.self)
	lastKnown := -1
	for i, e := range s.events {
		if s.known[e.ID] {
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
		case s.origin == continued:
			out[i] = true
		case s.origin == rebuilt && lastKnown >= 0:
			out[i] = i > lastKnown
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
