package matrix

import (
	"encoding/json"
	"testing"
	"time"

	"maunium.net/go/mautrix/event"
	"maunium.net/go/mautrix/id"

	"mindroom/internal/chat"
)

func TestWhoGoverns(t *testing.T) {
	t.Parallel()
	const levels = `{"type":"m.room.power_levels","state_key":"","sender":"@cy:x","content":`
	created := func(version string) string {
		return `{"type":"m.room.create","state_key":"","sender":"@cy:x","content":{"room_version":"` + version + `","additional_creators":["@co:x"]}}`
	}
	for name, c := range map[string]struct {
		state []string
		may   string // who of them all
	}{
		"by level":                       {[]string{created("10"), levels + `{"users":{"@ann:x":100,"@ben:x":50},"events":{"m.room.power_levels":100}}}`}, "@ann:x"},
		"by the level of all state":      {[]string{levels + `{"users":{"@ann:x":100,"@ben:x":50}}}`}, "@ann:x @ben:x"},
		"by a level of all state":        {[]string{levels + `{"users":{"@ann:x":100,"@ben:x":50},"state_default":80}}`}, "@ann:x"},
		"everybody":                      {[]string{levels + `{"users_default":60}}`}, "@ann:x @ben:x @cy:x @co:x"},
		"the newest levels":              {[]string{levels + `{"users":{"@ann:x":100}}}`, levels + `{"users":{"@ben:x":100}}}`}, "@ben:x"},
		"nonsense":                       {[]string{created("10"), levels + `{"users":7}}`}, ""},
		"without levels the creator":     {[]string{created("10")}, "@cy:x"},
		"creators whom no level binds":   {[]string{created("12"), levels + `{"users":{"@ann:x":100}}}`}, "@ann:x @cy:x @co:x"},
		"nobody, when nothing was heard": {nil, ""},
		"a state of somebody's own":      {[]string{`{"type":"m.room.power_levels","state_key":"@ben:x","sender":"@ben:x","content":{"users":{"@ben:x":100}}}`}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := newView()
			v.adopt("a", []id.RoomID{garden})
			var state []*event.Event
			everybody := []string{"@ann:x", "@ben:x", "@cy:x", "@co:x"}
			for _, user := range everybody {
				state = append(state, memberEvent(t, user, "join"))
			}
			for _, raw := range c.state {
				var e event.Event
				must(t, json.Unmarshal([]byte(raw), &e))
				state = append(state, &e)
			}
			if _, ok := v.governs(garden, "@ann:x"); ok {
				t.Error("it is known before the room is")
			}
			v.load("a", garden, state)
			got := ""
			for _, user := range everybody {
				may, ok := v.governs(garden, id.UserID(user))
				if !ok {
					t.Error("it is not known")
				}
				if may {
					got += " " + user
				}
			}
			if got != "" {
				got = got[1:]
			}
			if got != c.may {
				t.Errorf("%q govern, not %q", got, c.may)
			}
			v.load("a", garden, append(state, memberEvent(t, "@ann:x", "leave")))
			if may, _ := v.governs(garden, "@ann:x"); may {
				t.Error("who left governs")
			}
			v.lost("a")
			if _, ok := v.governs(garden, "@ann:x"); ok {
				t.Error("it is known while the reader is cut off")
			}
		})
	}
}

// A room is quiet up to two messages, whatever else happened in it, and while the
// router has not spoken.
func TestQuiet(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	ctx := within(t, time.Minute)
	ann := r.hs.Person(t, "ann")
	notQuiet := func(room string) { // a homeserver shows a message a moment after it has taken it
		r.await(ctx, "the room is no longer quiet", func() bool {
			quiet, err := r.net.Quiet(ctx, room)
			return err == nil && !quiet
		})
	}
	rooms := r.run(ctx, []RoomPlan{{Key: "garden", Invite: []string{ann.UserID}}}, RouterKey)
	room, err := ann.Join(ctx, rooms["garden"])
	must(t, err)
	for n := range 4 {
		if n > 2 {
			notQuiet(room)
			break
		}
		if quiet, err := r.net.Quiet(ctx, room); err != nil || !quiet {
			t.Errorf("with %d messages it is quiet: %v, %v", n, quiet, err)
		}
		sent, err := ann.Send(ctx, room, "hello")
		must(t, err)
		_, err = ann.React(ctx, room, sent, "👍")
		must(t, err)
	}
	spoken := r.run(ctx, []RoomPlan{{Key: "shed"}})["shed"]
	_, err = r.net.Send(ctx, chat.Delivery{ID: "d", TxnID: "t", Conversation: chat.Conversation{Account: r.net.Account(RouterKey).UserID, Room: spoken},
		Kind: chat.KindMessage, Type: "m.room.message", Content: json.RawMessage(`{"msgtype":"m.notice","body":"Welcome."}`)})
	must(t, err)
	notQuiet(spoken)
}
