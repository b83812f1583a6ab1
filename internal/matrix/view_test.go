package matrix

import (
	"encoding/json"
	"fmt"
	"testing"

	"maunium.net/go/mautrix"
	"maunium.net/go/mautrix/event"
	"maunium.net/go/mautrix/id"
	"pgregory.net/rapid"
)

const garden id.RoomID = "!garden:x"

func response(t testing.TB, raw string) *mautrix.RespSync {
	t.Helper()
	var r mautrix.RespSync
	if err := json.Unmarshal([]byte(raw), &r); err != nil {
		t.Fatal(err)
	}
	return &r
}

func memberJSON(user, membership string) string {
	return fmt.Sprintf(`{"type":"m.room.member","sender":%[1]q,"state_key":%[1]q,"event_id":"$%[1]s","content":{"membership":%[2]q}}`, user, membership)
}

func joinResponse(t testing.TB, events string) *mautrix.RespSync {
	return response(t, fmt.Sprintf(`{"next_batch":"n","rooms":{"join":{%q:{"timeline":{"events":[%s]}}}}}`, garden, events))
}

func memberEvent(t testing.TB, user, membership string) *event.Event {
	var e event.Event
	if err := json.Unmarshal([]byte(memberJSON(user, membership)), &e); err != nil {
		t.Fatal(err)
	}
	return &e
}

// The life of a view: it says nothing until it is loaded, nothing while its
// reader is cut off, and only the reader feeds it.
func TestViewIsSilentUntilSure(t *testing.T) {
	t.Parallel()
	v := newView()
	want := func(when, user string, joined, ok bool) {
		t.Helper()
		if j, k := v.member(garden, id.UserID(user)); j != joined || k != ok {
			t.Fatalf("%s: joined %v, sure %v", when, j, k)
		}
	}
	want("unknown room", "@ann:x", false, false)
	load, _ := v.apply("a", joinResponse(t, memberJSON("@ann:x", "join")))
	if len(load) != 1 {
		t.Fatalf("to load: %v", load)
	}
	want("not loaded", "@ann:x", false, false)
	v.load("b", garden, nil)
	want("loaded by somebody else", "@ann:x", false, false)
	v.load("a", garden, []*event.Event{memberEvent(t, "@ann:x", "join"), memberEvent(t, "@bob:x", "invite")})
	want("loaded", "@ann:x", true, true)
	want("invited is not joined", "@bob:x", false, true)
	if load, _ := v.apply("b", joinResponse(t, memberJSON("@ann:x", "leave"))); len(load) != 0 {
		t.Fatal("a second account loads too")
	}
	want("the other account's stream is not used", "@ann:x", true, true)
	v.lost("a")
	want("reader cut off", "@ann:x", false, false)
	v.apply("a", joinResponse(t, memberJSON("@ann:x", "ban")+","+memberJSON("@bob:x", "join")))
	want("back, banned meanwhile", "@ann:x", false, true)
	want("back, joined meanwhile", "@bob:x", true, true)
	v.apply("a", response(t, fmt.Sprintf(`{"next_batch":"n","rooms":{"leave":{%q:{}}}}`, garden)))
	want("the reader left", "@bob:x", false, false)
	v.adopt("b", []id.RoomID{garden})
	if load, _ := v.apply("b", response(t, `{"next_batch":"n"}`)); len(load) != 1 {
		t.Fatal("nobody takes over")
	}
}

func TestViewKeepsRoomInfo(t *testing.T) {
	t.Parallel()
	v := newView()
	v.adopt("a", []id.RoomID{garden})
	state := func(kind, content string) *event.Event {
		var e event.Event
		if err := json.Unmarshal([]byte(`{"type":"`+kind+`","state_key":"","content":`+content+`}`), &e); err != nil {
			t.Fatal(err)
		}
		return &e
	}
	v.load("a", garden, []*event.Event{
		state("m.room.name", `{"name":"Garden"}`), state("m.room.topic", `{"topic":"plants"}`),
		state("m.room.canonical_alias", `{"alias":"#garden:x"}`), memberEvent(t, me, "join"),
	})
	info, ok := v.room(garden)
	if want := (RoomInfo{ID: string(garden), Name: "Garden", Topic: "plants", Alias: "#garden:x", Members: 1}); !ok || info != want {
		t.Fatalf("%+v %v", info, ok)
	}
	v.apply("a", joinResponse(t, `{"type":"m.room.encryption","state_key":"","content":{}},{"type":"m.room.name","state_key":"","content":{"name":7}}`))
	if info, _ := v.room(garden); !info.Encrypted || info.Name != "" {
		t.Fatalf("%+v", info)
	}
}

// A room is told as changed exactly when another answer is given from now on.
func TestViewTellsWhatChanged(t *testing.T) {
	t.Parallel()
	v := newView()
	empty := `{"next_batch":"n"}`
	v.adopt("a", []id.RoomID{garden})
	if v.load("b", garden, nil) || !v.load("a", garden, nil) {
		t.Fatal("loading counts for the reader only")
	}
	for _, c := range []struct {
		name, account string
		before        func()
		r             *mautrix.RespSync
		want          int
	}{
		{"nothing was said", "a", nil, response(t, empty), 0},
		{"a message", "a", nil, joinResponse(t, `{"type":"m.room.message","content":{"body":"x"}}`), 0},
		{"a member", "a", nil, joinResponse(t, memberJSON("@ann:x", "join")), 1},
		{"a member, heard by another account", "b", nil, joinResponse(t, memberJSON("@ann:x", "leave")), 0},
		{"back after being cut off", "a", func() { v.lost("a") }, response(t, empty), 1},
		{"back with news of the room", "a", func() { v.lost("a") }, joinResponse(t, memberJSON("@bob:x", "join")), 1},
		{"the reader left", "a", nil, response(t, fmt.Sprintf(`{"next_batch":"n","rooms":{"leave":{%q:{}}}}`, garden)), 1},
	} {
		if c.before != nil {
			c.before()
		}
		if _, changed := v.apply(c.account, c.r); len(changed) != c.want {
			t.Errorf("%s: changed %v, want %d", c.name, changed, c.want)
		}
	}
}

// Whatever two accounts hear in whatever order, a sure answer is the state of
// the room at a moment its reader has heard of.
func TestViewFollowsItsReader(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		v := newView()
		truth := []bool{false} // Ann's membership after each change
		heard := map[string]int{"a": 0, "b": 0}
		in := map[string]bool{"a": true, "b": true}
		for range rapid.IntRange(1, 40).Draw(rt, "steps") {
			account := rapid.SampledFrom([]string{"a", "b"}).Draw(rt, "account")
			switch rapid.SampledFrom([]string{"change", "sync", "cut", "leave", "come"}).Draw(rt, "what") {
			case "change":
				truth = append(truth, !truth[len(truth)-1])
			case "cut":
				v.lost(account)
			case "leave":
				in[account] = false
				v.apply(account, response(t, fmt.Sprintf(`{"next_batch":"n","rooms":{"leave":{%q:{}}}}`, garden)))
			case "come":
				in[account] = true
			case "sync":
				if !in[account] {
					continue
				}
				v.adopt(account, []id.RoomID{garden})
				events := ""
				for _, joined := range truth[heard[account]+1:] {
					if events != "" {
						events += ","
					}
					events += memberJSON("@ann:x", map[bool]string{true: "join", false: "leave"}[joined])
				}
				heard[account] = len(truth) - 1
				load, _ := v.apply(account, joinResponse(t, events))
				for _, room := range load {
					var state []*event.Event
					if truth[len(truth)-1] {
						state = append(state, memberEvent(t, "@ann:x", "join"))
					}
					v.load(account, room, state)
				}
				if joined, ok := v.member(garden, "@ann:x"); v.readerOf(garden) == account && (!ok || joined != truth[len(truth)-1]) {
					rt.Fatalf("after %s synced: joined %v sure %v, is %v", account, joined, ok, truth)
				}
			}
			reader := v.readerOf(garden)
			if joined, ok := v.member(garden, "@ann:x"); ok && joined != truth[heard[reader]] {
				rt.Fatalf("joined %v, but %s last heard %v", joined, reader, truth[heard[reader]])
			}
		}
	})
}
