package matrix

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"mindroom/internal/chat"
	"mindroom/internal/person"
	"mindroom/test/faultproxy"
)

// visitor joins a managed room as a person who was invited.
func (r *rig) visitor(ctx context.Context, room string, c *person.Client) {
	r.t.Helper()
	if _, err := c.Join(ctx, room); err != nil {
		r.t.Fatal(err)
	}
}

// bodies returns what an account heard, live and as history; heard twice is a
// failure in itself.
func (r *rig) bodies(account string) (live, history []string) {
	r.t.Helper()
	seen := map[string]bool{}
	for _, e := range r.heard(account) {
		if seen[e.EventID] {
			r.t.Fatalf("%s is journalled twice", e.EventID)
		}
		seen[e.EventID] = true
		if e.Type != "m.room.message" {
			continue
		}
		body := chat.Body(e.Content)
		if e.Live {
			live = append(live, body)
		} else {
			history = append(history, body)
		}
	}
	return live, history
}

func garten(people ...string) []RoomPlan {
	return []RoomPlan{{Key: "garten", Members: []string{RouterKey, "news"}, Invite: people}}
}

// Two accounts, a room made once and found again by the next process; what is
// said reaches each account's journal once, also what was said while nobody
// listened.
func TestRoomAndJournalOverRestarts(t *testing.T) {
	t.Parallel()
	r, ctx := newRig(t, nil), within(t, time.Minute)
	ann := r.hs.Person(t, "ann")
	rooms := r.run(ctx, garten(ann.UserID), RouterKey, "news")
	room := rooms["garten"]
	r.visitor(ctx, room, ann)
	_, err := ann.Send(ctx, room, "first")
	must(t, err)
	both := func(want ...string) func() bool {
		return func() bool {
			for _, account := range []string{RouterKey, "news"} {
				if live, _ := r.bodies(account); !slices.Equal(live, want) {
					return false
				}
			}
			return true
		}
	}
	r.await(ctx, "the first message", both("first"))
	info, ok := r.net.Room(room)
	if !ok || info.Name != "Garten" || info.Alias == "" || info.Members != 3 {
		t.Fatalf("%+v %v", info, ok)
	}

	r.stop()
	_, err = ann.Send(ctx, room, "while you were away")
	must(t, err)
	r.start()
	before := len(r.proxy.Exchanges(nil))
	if again := r.run(ctx, garten(ann.UserID), RouterKey, "news"); again["garten"] != room {
		t.Fatalf("the second start has room %s, the first had %s", again["garten"], room)
	}
	for _, x := range r.proxy.Exchanges(nil)[before:] {
		if strings.HasSuffix(x.Path, "/createRoom") || strings.HasSuffix(x.Path, "/invite") || strings.HasSuffix(x.Path, "/register") {
			t.Errorf("the second start did %s %s", x.Method, x.Path)
		}
	}
	_, err = ann.Send(ctx, room, "last")
	must(t, err)
	r.await(ctx, "what was missed", both("first", "while you were away", "last"))
	for key, h := range r.net.Health() {
		if h.LastSuccess.IsZero() || h.Failures != 0 {
			t.Errorf("health of %s: %+v", key, h)
		}
	}
}

// A room the agent is invited to: followed for whom the callback accepts, and
// what was said there before is history.
func TestInvitation(t *testing.T) {
	t.Parallel()
	friend := ""
	r, ctx := newRig(t, func(c *Config) {
		c.AcceptInvite = func(_ context.Context, account, _, inviter string) bool {
			return account == "news" && inviter == friend
		}
	}), within(t, time.Minute)
	ann, eve := r.hs.Person(t, "ann"), r.hs.Person(t, "eve")
	friend = ann.UserID
	r.run(ctx, nil, RouterKey, "news")
	news := r.user("news")

	secret, err := eve.CreateRoom(ctx, "Trap", news)
	must(t, err)
	room, err := ann.CreateRoom(ctx, "Kitchen")
	must(t, err)
	must(t, ann.SetState(ctx, room, "m.room.history_visibility", "", map[string]any{"history_visibility": "shared"}))
	_, err = ann.Send(ctx, room, "said before")
	must(t, err)
	must(t, ann.Invite(ctx, room, news))
	_, err = ann.WaitFor(ctx, func(e person.Event) bool {
		return e.Type == "m.room.member" && e.StateKey != nil && *e.StateKey == news && e.Content["membership"] == "join"
	})
	must(t, err)
	_, err = ann.Send(ctx, room, "said after")
	must(t, err)
	r.await(ctx, "the message after the joining", func() bool {
		live, history := r.bodies("news")
		return slices.Equal(live, []string{"said after"}) && slices.Equal(history, []string{"said before"})
	})
	members, err := eve.Members(ctx, secret)
	must(t, err)
	if slices.Contains(members, news) {
		t.Fatal("it followed a stranger")
	}
}

// More was said in one gap than a sync response holds.
func TestGapIsFilled(t *testing.T) {
	t.Parallel()
	r, ctx := newRig(t, func(c *Config) { c.TimelineLimit = 3 }), within(t, time.Minute)
	ann := r.hs.Person(t, "ann")
	room := r.run(ctx, garten(ann.UserID), RouterKey, "news")["garten"]
	r.visitor(ctx, room, ann)
	_, err := ann.Send(ctx, room, "0")
	must(t, err)
	r.await(ctx, "the start", func() bool { live, _ := r.bodies("news"); return len(live) == 1 })
	r.stop()
	want := []string{"0"}
	for i := 1; i <= 25; i++ {
		body := fmt.Sprint(i)
		_, err := ann.Send(ctx, room, body)
		must(t, err)
		want = append(want, body)
	}
	r.start()
	r.run(ctx, garten(ann.UserID), RouterKey, "news")
	r.await(ctx, "all of the gap", func() bool { live, _ := r.bodies("news"); return len(live) == len(want) })
	if live, _ := r.bodies("news"); !slices.Equal(live, want) {
		t.Fatalf("live %v, want %v", live, want)
	}
}

// The homeserver forgets our token after more was said than one response
// holds: nothing is lost, nothing is new twice.
func TestForgottenToken(t *testing.T) {
	t.Parallel()
	r, ctx := newRig(t, func(c *Config) { c.TimelineLimit = 3 }), within(t, time.Minute)
	ann := r.hs.Person(t, "ann")
	room := r.run(ctx, garten(ann.UserID), RouterKey, "news")["garten"]
	r.visitor(ctx, room, ann)
	want := []string{"known"}
	_, err := ann.Send(ctx, room, "known")
	must(t, err)
	r.await(ctx, "the start", func() bool { live, _ := r.bodies("news"); return len(live) == 1 })
	r.stop()
	for i := range 9 {
		want = append(want, fmt.Sprint("new ", i))
		_, err = ann.Send(ctx, room, want[i+1])
		must(t, err)
	}
	r.start()
	forgot := r.proxy.Arm(faultproxy.Fault{Status: 400, Body: `{"errcode":"M_UNKNOWN_POS","error":"unknown position"}`, Times: 2,
		Match: func(q *http.Request) bool {
			return strings.HasSuffix(q.URL.Path, "/sync") && q.URL.Query().Get("since") != ""
		}})
	r.run(ctx, garten(ann.UserID), RouterKey, "news")
	r.await(ctx, "the new messages", func() bool { live, _ := r.bodies("news"); return len(live) == len(want) })
	if live, _ := r.bodies("news"); !slices.Equal(live, want) || forgot.Hits() == 0 {
		t.Fatalf("live %q, want %q; the fault was met %d times", live, want, forgot.Hits())
	}
}

// The membership that authority is decided on.
func TestJoined(t *testing.T) {
	t.Parallel()
	changed := make(chan string, 1000)
	r, ctx := newRig(t, func(c *Config) { c.Changed = func(room string) { changed <- room } }), within(t, time.Minute)
	ann := r.hs.Person(t, "ann")
	if got := r.net.Joined(ctx, "!any:x", ann.UserID); got != CannotTell {
		t.Fatalf("before anything is known: %s", got)
	}
	room := r.run(ctx, garten(ann.UserID), RouterKey, "news")["garten"]
	select {
	case got := <-changed:
		if got != room {
			t.Fatalf("changed: %s", got)
		}
	case <-ctx.Done():
		t.Fatal("nobody was told that the room is loaded")
	}
	if _, ok := r.net.Room(room); !ok {
		t.Fatal("told of a change before the view has it")
	}
	if got := r.net.Joined(ctx, room, ann.UserID); got != NotJoined {
		t.Fatalf("invited only: %s", got)
	}
	r.visitor(ctx, room, ann)
	if got := r.net.Joined(ctx, room, ann.UserID); got != Joined {
		t.Fatalf("the moment after joining: %s", got)
	}
	_, err := ann.Send(ctx, room, "here")
	must(t, err)
	r.await(ctx, "the message", func() bool { live, _ := r.bodies(RouterKey); return len(live) == 1 })
	must(t, ann.Leave(ctx, room))
	r.await(ctx, "the leaving", func() bool { m, ok := r.net.Members(room); return ok && !slices.Contains(m, ann.UserID) })
	if got := r.net.Joined(ctx, room, ann.UserID); got != NotJoined {
		t.Fatalf("after leaving: %s", got)
	}
	// Cut off, the view grants nothing.
	r.deaf(ctx)
	if got := r.net.Joined(ctx, room, r.user("news")); got != CannotTell {
		t.Fatalf("cut off: %s", got)
	}
}

// awaitHealth asks until the health is as wanted; a failure wakes nobody.
func (r *rig) awaitHealth(ctx context.Context, ok func(map[string]Health) bool) {
	r.t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !ok(r.net.Health()) {
		select {
		case <-tick.C:
		case <-ctx.Done():
			r.t.Fatalf("health %+v: %v", r.net.Health(), context.Cause(ctx))
		}
	}
}

// The token is taken away while it runs: the account logs in again by itself.
func TestLostTokenWhileRunning(t *testing.T) {
	t.Parallel()
	r, ctx := newRig(t, nil), within(t, time.Minute)
	ann := r.hs.Person(t, "ann")
	room := r.run(ctx, garten(ann.UserID), RouterKey, "news")["garten"]
	r.visitor(ctx, room, ann)
	_, err := r.net.Account("news").api().Logout(ctx)
	must(t, err)
	_, err = ann.Send(ctx, room, "still there?")
	must(t, err)
	r.await(ctx, "the message", func() bool { live, _ := r.bodies("news"); return len(live) == 1 })
}
