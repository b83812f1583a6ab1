package matrix

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"maunium.net/go/mautrix/event"
	"maunium.net/go/mautrix/id"
)

const me = "@me:x"

// said, came: events at a second of the test's day.
func said(eid string, at int) *event.Event {
	return parsed(eid, at, `"type":"m.room.message","sender":"@ann:x","content":{"msgtype":"m.text","body":"hi"}`)
}

func came(eid string, at int, before string) *event.Event {
	unsigned := ""
	if before != "" {
		unsigned = `,"unsigned":{"prev_content":{"membership":"` + before + `"}}`
	}
	return parsed(eid, at, `"type":"m.room.member","sender":"@me:x","state_key":"@me:x","content":{"membership":"join"}`+unsigned)
}

func parsed(eid string, at int, rest string) *event.Event {
	var e event.Event
	b, _ := json.Marshal(map[string]any{"event_id": eid, "origin_server_ts": day.Add(time.Duration(at) * time.Second).UnixMilli()})
	if err := json.Unmarshal([]byte(string(b[:len(b)-1])+","+rest+"}"), &e); err != nil {
		panic(err)
	}
	return &e
}

var day = time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)

func TestAlive(t *testing.T) {
	t.Parallel()
	sec := func(n int) time.Time { return day.Add(time.Duration(n) * time.Second) }
	known := func(ids ...id.EventID) map[id.EventID]bool {
		m := map[id.EventID]bool{}
		for _, i := range ids {
			m[i] = true
		}
		return m
	}
	cases := []struct {
		name string
		s    stretch
		want []bool
	}{
		{"token continued", stretch{origin: continued, events: []*event.Event{said("a", 1), said("b", 2)}}, []bool{true, true}},
		{"came in just now", stretch{origin: continued, events: []*event.Event{said("a", 1), came("j", 2, "invite"), said("b", 3)}}, []bool{false, true, true}},
		{"came in, server tells no past", stretch{origin: continued, events: []*event.Event{said("a", 1), came("j", 2, ""), said("b", 3)}}, []bool{false, true, true}},
		{"only a new name", stretch{origin: continued, events: []*event.Event{said("a", 1), came("j", 2, "join"), said("b", 3)}}, []bool{true, true, true}},
		{"left and came back", stretch{origin: continued, events: []*event.Event{came("j", 1, "invite"), said("a", 2), came("k", 3, "leave"), said("b", 4)}}, []bool{false, false, true, true}},
		{"rebuilt, some known", stretch{origin: rebuilt, events: []*event.Event{said("a", 1), said("b", 2), said("c", 3)}, known: known("b")}, []bool{false, false, true}},
		{"rebuilt, none known", stretch{origin: rebuilt, created: sec(5), events: []*event.Event{said("a", 1), said("b", 9)}}, []bool{false, true}},
		{"rebuilt, joined while away", stretch{origin: rebuilt, created: sec(50), events: []*event.Event{said("a", 1), came("j", 2, "invite"), said("b", 3)}}, []bool{false, true, true}},
		{"first sync, some known from elsewhere", stretch{created: sec(1), events: []*event.Event{said("a", 2), said("b", 3)}, known: known("b")}, []bool{true, true}},
		{"first sync, older than the account", stretch{created: sec(5), events: []*event.Event{said("a", 4), said("b", 5), said("c", 6)}}, []bool{false, true, true}},
		{"first sync, joined long ago", stretch{created: sec(1), state: []*event.Event{came("j", 3, "")}, events: []*event.Event{said("a", 2), said("b", 4)}}, []bool{false, true}},
		{"first sync, joined here, clocks differ", stretch{created: sec(100), events: []*event.Event{said("a", 1), came("j", 2, "invite"), said("b", 3)}}, []bool{false, true, true}},
		{"nothing", stretch{}, []bool{}},
	}
	for _, c := range cases {
		c.s.self = me
		if got := c.s.alive(); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestContent(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, event, want string }{
		{"as sent", `"type":"m.room.message","content":{"n":1.50,"b":true}`, `{"n":1.50,"b":true}`},
		{"none", `"type":"m.room.message"`, `{}`},
	} {
		if got := string(content(parsed("$e", 1, c.event))); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// Whatever a homeserver sends as an event, it is journalled or dropped, never
// a crash.
func FuzzRow(f *testing.F) {
	f.Add(`{"type":"m.room.member","state_key":"@me:x","content":{"membership":"join"},"unsigned":{"prev_content":[]}}`)
	f.Add(`{"type":"m.room.redaction","redacts":"$x","content":null}`)
	f.Add(`{"content":{"membership":7},"state_key":"@me:x","type":"m.room.member"}`)
	f.Fuzz(func(t *testing.T, raw string) {
		var e event.Event
		if json.Unmarshal([]byte(raw), &e) != nil {
			return
		}
		r, err := (&streak{a: &Account{}}).row(t.Context(), "!r:x", &e, true)
		if err != nil || !json.Valid(r.Content) {
			t.Fatalf("content %q of %q", r.Content, raw)
		}
		v := newView()
		v.adopt("a", []id.RoomID{"!r:x"})
		v.load("a", "!r:x", []*event.Event{&e})
		stretch{self: me, events: []*event.Event{&e}}.alive()
	})
}
