package matrix

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"mindroom/internal/chat"
	"mindroom/internal/message"
	"mindroom/internal/person"
	"mindroom/test/faultproxy"
)

func sends(room string) func(*http.Request) bool {
	return func(q *http.Request) bool {
		return q.Method == http.MethodPut && strings.HasPrefix(q.URL.Path, "/_matrix/client/v3/rooms/"+room+"/send/")
	}
}

func text(id, room, body string) chat.Delivery {
	return chat.Delivery{ID: id, Conversation: chat.Conversation{Room: room}, Type: "m.room.message", Kind: chat.KindMessage, Content: message.Text(body).Raw()}
}

func about(d chat.Delivery, kind chat.Kind, eventType string, target chat.Target, content message.Content) chat.Delivery {
	d.Kind, d.Type, d.Target, d.Content = kind, eventType, target, content.Raw()
	return d
}

// talk is a rig with a room in which Ann is.
func talk(t *testing.T, tweak func(*Config)) (*rig, context.Context, *person.Client, string) {
	t.Helper()
	r, ctx := newRig(t, tweak), within(t, time.Minute)
	ann := r.hs.Person(t, "ann")
	room := r.run(ctx, garten(ann.UserID), RouterKey, "news")["garten"]
	r.visitor(ctx, room, ann)
	return r, ctx, ann, room
}

// shown is what a person sees in a room once the delivery last is there.
func (r *rig) shown(ctx context.Context, c *person.Client, room, last string) []string {
	r.t.Helper()
	if last != "" {
		d := r.settled(ctx, last)
		_, err := c.WaitFor(ctx, func(e person.Event) bool { return e.ID == d.EventID })
		must(r.t, err)
	}
	events, err := c.Timeline(ctx, room, 200)
	must(r.t, err)
	var out []string
	for _, e := range person.Fold(events) {
		out = append(out, e.Body())
	}
	return out
}

// deaf cuts the accounts off from what is said, so that no echo settles a
// delivery before its answer is looked at.
func (r *rig) deaf(ctx context.Context) *faultproxy.Armed {
	r.t.Helper()
	f := r.proxy.Arm(faultproxy.Fault{Status: 502, Match: func(q *http.Request) bool { return strings.HasSuffix(q.URL.Path, "/sync") }})
	r.proxy.CutAll()
	r.awaitHealth(ctx, func(h map[string]Health) bool { return h[RouterKey].Failures > 0 && h["news"].Failures > 0 })
	return f
}

func tries(r *rig, id string) int {
	txn := r.delivery(id).TxnID
	return len(r.proxy.Exchanges(func(x faultproxy.Exchange) bool { return x.Forwarded && strings.HasSuffix(x.Path, "/"+txn) }))
}

// The homeserver took the message and the answer was lost: it is sent again
// under the same transaction id and is one event.
func TestLostAnswerIsOneEvent(t *testing.T) {
	t.Parallel()
	r, ctx, ann, room := talk(t, nil)
	r.deaf(ctx)
	lost := r.proxy.Arm(faultproxy.Fault{Match: sends(room), Times: 2, DropReply: true})
	r.say("news", text("one", room, "only once"), text("two", room, "second"))
	if got := r.shown(ctx, ann, room, "two"); !slices.Equal(got, []string{"only once", "second"}) {
		t.Fatalf("in the room: %q", got)
	}
	if lost.Hits() != 2 || tries(r, "one") != 3 || tries(r, "two") != 1 {
		t.Fatalf("fault met %d times, %d and %d tries", lost.Hits(), tries(r, "one"), tries(r, "two"))
	}
}

// The answer was lost and no other try succeeds, but the account hears its own
// message: that settles it.
func TestEchoSettles(t *testing.T) {
	t.Parallel()
	r, ctx, ann, room := talk(t, nil)
	hold := make(chan struct{})
	defer close(hold)
	r.proxy.Arm(faultproxy.Fault{Match: sends(room), Times: 1, DropReply: true})
	r.proxy.Arm(faultproxy.Fault{Match: sends(room), Hold: hold})
	r.say("news", text("one", room, "heard"))
	if d := r.settled(ctx, "one"); d.State != chat.Sent {
		t.Fatalf("%+v", d)
	}
	if got := r.shown(ctx, ann, room, "one"); !slices.Equal(got, []string{"heard"}) {
		t.Fatalf("in the room: %q", got)
	}
}

// The process dies between the homeserver's work and our note of it.
func TestRestartSendsTheSameTransaction(t *testing.T) {
	t.Parallel()
	r, ctx, ann, room := talk(t, nil)
	silence := r.deaf(ctx)
	hold := make(chan struct{})
	defer close(hold)
	lost := r.proxy.Arm(faultproxy.Fault{Match: sends(room), Times: 1, DropReply: true})
	held := r.proxy.Arm(faultproxy.Fault{Match: sends(room), Times: 1, Hold: hold})
	r.say("news", text("one", room, "only once"))
	must(t, lost.WaitHits(ctx, 1))
	must(t, held.WaitHits(ctx, 1))
	r.stop()
	r.start()
	if d := r.delivery("one"); d.State != chat.Queued || d.Attempts == 0 {
		t.Fatalf("after the restart: %+v", d)
	}
	silence.Disarm()
	r.run(ctx, garten(ann.UserID), RouterKey, "news")
	if got := r.shown(ctx, ann, room, "one"); !slices.Equal(got, []string{"only once"}) {
		t.Fatalf("in the room: %q", got)
	}
}

// Thread, edit, reaction and redaction as a client sees them.
func TestRelationsArrive(t *testing.T) {
	t.Parallel()
	r, ctx, ann, room := talk(t, nil)
	root, err := ann.Send(ctx, room, "question")
	must(t, err)
	answer := text("answer", room, "Thinking...")
	answer.ThreadRoot = root
	mine := chat.Target{Delivery: "answer"}
	edit := about(text("edit", room, ""), chat.KindEdit, "m.room.message", mine, message.Text("**42**"))
	edit.ThreadRoot = root
	r.say("news", answer, edit,
		about(text("react", room, ""), chat.KindReaction, "m.reaction", chat.Target{Event: root}, message.Reaction("👀")),
		text("wrong", room, "wrong room"),
		about(text("redact", room, ""), chat.KindRedaction, "", chat.Target{Delivery: "wrong"}, message.Content{"reason": "mistake"}))
	all := r.shown(ctx, ann, room, "redact")
	if !slices.Equal(all, []string{"question", "**42**", ""}) {
		t.Fatalf("in the room: %q", all)
	}
	id := r.delivery("answer").EventID
	thread, err := ann.Thread(ctx, room, root)
	must(t, err)
	if len(thread) != 1 || thread[0].ID != id {
		t.Fatalf("thread %+v", thread)
	}
	edits, err := ann.Edits(ctx, room, id)
	must(t, err)
	if len(edits) != 1 || edits[0].Body() != "**42**" {
		t.Fatalf("edits %+v", edits)
	}
	_, err = ann.WaitFor(ctx, func(e person.Event) bool { key, on := e.Reaction(); return key == "👀" && on == root })
	must(t, err)
}

// A room in trouble waits as long as it is asked to; another goes on.
func TestRoomsDoNotBlockOneAnother(t *testing.T) {
	t.Parallel()
	r, ctx, ann, room := talk(t, nil)
	other, _, err := r.net.EnsureRooms(ctx, []RoomPlan{{Key: "hof", Members: []string{RouterKey, "news"}, Invite: []string{ann.UserID}}})
	must(t, err)
	slow := r.proxy.Arm(faultproxy.Fault{Match: sends(room), Times: 1, Status: 429, Body: `{"errcode":"M_LIMIT_EXCEEDED","retry_after_ms":2000}`})
	began := time.Now()
	r.say("news", text("slow", room, "slow"))
	r.say("news", text("after", room, "after"))
	must(t, slow.WaitHits(ctx, 1))
	r.say("news", text("quick", other["hof"], "quick"))
	r.settled(ctx, "quick")
	if r.delivery("slow").State == chat.Sent {
		t.Fatal("the limited room did not wait")
	}
	r.settled(ctx, "after")
	if took := time.Since(began); took < 2*time.Second {
		t.Fatalf("sent after %s although 2 s were asked for", took)
	}
	if got := r.shown(ctx, ann, room, "after"); !slices.Equal(got, []string{"slow", "after"}) {
		t.Fatalf("in the room: %q", got)
	}
}

func TestGivenUpForGood(t *testing.T) {
	t.Parallel()
	r, ctx, ann, room := talk(t, func(c *Config) { c.CryptoFolder = "" })
	alone, err := ann.CreateRoom(ctx, "Alone")
	must(t, err)
	sealed, err := ann.CreateRoom(ctx, "Sealed")
	must(t, err)
	must(t, ann.SetState(ctx, sealed, "m.room.encryption", "", map[string]any{"algorithm": "m.megolm.v1.aes-sha2"}))
	must(t, ann.Invite(ctx, sealed, r.user("news")))
	_, err = r.net.Account("news").api().JoinRoom(ctx, sealed, nil)
	must(t, err)

	big := text("big", room, "")
	big.Content = message.Content{"msgtype": "m.text", "body": strings.Repeat("x", 70_000)}.Raw()
	for _, c := range []struct {
		d    chat.Delivery
		want Kind
	}{
		{text("foreign", alone, "let me in"), KindForbidden},
		{big, KindTooLarge},
		{text("sealed", sealed, "in clear?"), KindEncrypted},
	} {
		r.say("news", c.d)
		if d := r.settled(ctx, c.d.ID); d.State != chat.Failed || d.ErrorKind != string(c.want) {
			t.Errorf("%s: %s %s, want %s", d.ID, d.State, d.ErrorKind, c.want)
		}
	}
	// None of them stands in the way of what follows.
	r.say("news", text("fine", room, "fine"))
	if got := r.shown(ctx, ann, room, "fine"); !slices.Equal(got, []string{"fine"}) {
		t.Fatalf("in the room: %q", got)
	}
	if got := r.shown(ctx, ann, sealed, ""); len(got) != 0 {
		t.Fatalf("in the encrypted room: %q", got)
	}
}

func TestDrainSendsWhatIsDue(t *testing.T) {
	t.Parallel()
	r, ctx, _, room := talk(t, nil)
	for _, id := range []string{"a", "b", "c"} {
		r.say("news", text(id, room, id))
	}
	must(t, r.net.Drain(ctx))
	for _, id := range []string{"a", "b", "c"} {
		if s := r.delivery(id).State; s != chat.Sent {
			t.Errorf("%s is %s after Drain", id, s)
		}
	}
	hold := make(chan struct{})
	defer close(hold)
	held := r.proxy.Arm(faultproxy.Fault{Match: sends(room), Hold: hold})
	r.say("news", text("d", room, "d"))
	must(t, held.WaitHits(ctx, 1))
	short, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
	defer cancel()
	if err := r.net.Drain(short); err == nil {
		t.Error("Drain does not wait for a send in flight")
	}
}

func TestTyping(t *testing.T) {
	t.Parallel()
	r, ctx, _, room := talk(t, nil)
	r.net.Typing(ctx, "news", room, true)
	r.net.Typing(ctx, "nobody", room, true)
	got := r.proxy.Exchanges(func(x faultproxy.Exchange) bool { return strings.Contains(x.Path, "/typing/") })
	if len(got) != 1 || got[0].Status != 200 {
		t.Fatalf("%+v", got)
	}
}
