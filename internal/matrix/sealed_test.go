//go:build goolm

package matrix

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"maunium.net/go/mautrix"
	"maunium.net/go/mautrix/event"
	"maunium.net/go/mautrix/id"

	"mindroom/internal/chat"
	"mindroom/internal/matrix/seal"
	"mindroom/internal/message"
	"mindroom/internal/person"
	"mindroom/internal/store"
	"mindroom/test/faultproxy"
)

// secret is a rig with a room that Ann, who reads encrypted rooms, encrypted.
func secretRoom(t *testing.T, tweak func(*Config)) (*rig, context.Context, *person.Client, string) {
	t.Helper()
	r, ctx := newRig(t, tweak), within(t, time.Minute)
	ann := r.hs.Person(t, "ann")
	room := r.prepared(ctx, ann)
	must(t, ann.Encrypt(ctx, room))
	return r, ctx, ann, room
}

// prepared runs a room that Ann, who reads encrypted rooms, may encrypt.
func (r *rig) prepared(ctx context.Context, ann *person.Client) (room string) {
	r.t.Helper()
	must(r.t, ann.Secure(ctx))
	room = r.run(ctx, garten(ann.UserID), RouterKey, "news")["garten"]
	r.visitor(ctx, room, ann)
	r.admin(ctx, room, ann)
	return room
}

// admin gives a person the power to encrypt a room.
func (r *rig) admin(ctx context.Context, room string, c *person.Client) {
	r.t.Helper()
	api := r.net.Account(RouterKey).api()
	var levels event.PowerLevelsEventContent
	must(r.t, api.StateEvent(ctx, id.RoomID(room), event.StatePowerLevels, "", &levels))
	levels.SetUserLevel(id.UserID(c.UserID), 100)
	_, err := api.SendStateEvent(ctx, id.RoomID(room), event.StatePowerLevels, "", &levels)
	must(r.t, err)
}

// overheard is what the homeserver has of an account's events in a room: their
// types, state left out.
func (r *rig) overheard(ctx context.Context, room, key string) map[string]int {
	r.t.Helper()
	stranger, err := mautrix.NewClient(r.hs.URL, id.UserID(r.user(key)), r.net.Account(key).api().AccessToken)
	must(r.t, err)
	m, err := stranger.Messages(ctx, id.RoomID(room), "", "", mautrix.DirectionBackward, nil, 200)
	must(r.t, err)
	types := map[string]int{}
	for _, e := range m.Chunk {
		if e.StateKey == nil && e.Sender.String() == r.user(key) {
			types[e.Type.Type]++
		}
	}
	stranger.Client.CloseIdleConnections()
	return types
}

func (r *rig) hears(ctx context.Context, key, body string) chat.Event {
	r.t.Helper()
	var found chat.Event
	r.await(ctx, key+" hearing "+body, func() bool {
		for _, e := range r.heard(key) {
			if chat.Body(e.Content) == body {
				found = e
				return true
			}
		}
		return false
	})
	return found
}

// Everything we say in a room that was encrypted a moment ago: the homeserver
// has nothing of it in clear but a reaction, and Ann reads it all; what Ann says
// reaches both accounts. doc.go 10; seal 1.
func TestEncryptedRoom(t *testing.T) {
	t.Parallel()
	r, ctx, ann, room := secretRoom(t, nil)
	root, err := ann.Send(ctx, room, "question")
	must(t, err)
	answer := text("answer", room, "Thinking...")
	answer.ThreadRoot = root
	notice := text("notice", room, "")
	notice.Content = message.Content{"msgtype": "m.notice", "body": "noted", "n": 1.5}.Raw()
	card := text("card", room, "")
	card.Type, card.Content = "io.mindroom.tool_approval", message.Content{"msgtype": "io.mindroom.tool_approval", "body": "may I?"}.Raw()
	file := text("file", room, "")
	file.Content = message.Content{"msgtype": "m.file", "body": "a.txt", "file": map[string]any{"url": "mxc://localhost/x"}}.Raw()
	r.say("news", answer,
		about(text("edit", room, ""), chat.KindEdit, "m.room.message", chat.Target{Delivery: "answer"}, message.Text("**42**")),
		about(text("react", room, ""), chat.KindReaction, "m.reaction", chat.Target{Event: root}, message.Reaction("👀")),
		notice, card, file,
		text("wrong", room, "wrong room"),
		about(text("redact", room, ""), chat.KindRedaction, "", chat.Target{Delivery: "wrong"}, message.Content{}))
	got := r.shown(ctx, ann, room, "redact")
	for _, want := range []string{"question", "**42**", "noted", "a.txt"} {
		if !slices.Contains(got, want) {
			t.Errorf("Ann reads %q, without %q", got, want)
		}
	}
	id := r.delivery("answer").EventID
	edits, err := ann.Edits(ctx, room, id)
	must(t, err)
	thread, err := ann.Thread(ctx, room, root)
	must(t, err)
	if len(edits) != 1 || len(thread) != 1 || thread[0].Body() != "Thinking..." || !thread[0].Encrypted {
		t.Errorf("the homeserver relates edits %v, thread %v", edits, thread)
	}
	seen, err := ann.WaitFor(ctx, func(e person.Event) bool { return e.Type == "io.mindroom.tool_approval" })
	must(t, err)
	if !seen.Encrypted || seen.Body() != "may I?" {
		t.Errorf("the card %+v", seen)
	}
	types := r.overheard(ctx, room, "news")
	for kind, n := range types {
		if kind != "m.room.encrypted" && kind != "m.reaction" && kind != "m.room.redaction" {
			t.Errorf("%d events of type %s in clear", n, kind)
		}
	}
	if types["m.room.encrypted"] < 6 || types["m.reaction"] != 1 {
		t.Errorf("events of ours: %v", types)
	}
	for _, key := range []string{RouterKey, "news"} {
		e := r.hears(ctx, key, "question")
		if !e.Live || e.Type != "m.room.message" || e.Sender != ann.UserID {
			t.Errorf("%s heard %+v", key, e)
		}
		r.hears(ctx, key, "* **42**")
	}
	info, ok := r.net.Room(room)
	if !ok || !info.Encrypted {
		t.Errorf("the view: %+v %v", info, ok)
	}
}

// The largest answer and its edit pass encrypted. message.MaxContent
func TestLargestEncryptedEdit(t *testing.T) {
	t.Parallel()
	r, ctx, _, room := secretRoom(t, nil)
	largest := message.Text(strings.Repeat("Something with <tags> & \"quotes\", 42 times.\n", 2000))
	big := text("big", room, "")
	big.Content = largest.Raw()
	r.say("news", big, about(text("edit", room, ""), chat.KindEdit, "m.room.message", chat.Target{Delivery: "big"}, largest))
	for _, id := range []string{"big", "edit"} {
		if d := r.settled(ctx, id); d.State != chat.Sent {
			t.Errorf("%s of %d bytes: %s %s", id, len(d.Content), d.State, d.ErrorKind)
		}
	}
}

// A restart keeps the keys; what was said meanwhile is read, what is said after
// is read, and our device is the same.
func TestEncryptedRoomOverRestart(t *testing.T) {
	t.Parallel()
	r, ctx, ann, room := secretRoom(t, nil)
	_, err := ann.Send(ctx, room, "first")
	must(t, err)
	r.hears(ctx, "news", "first")
	r.say("news", text("one", room, "one"))
	r.settled(ctx, "one")
	device := r.net.Account("news").DeviceID
	r.stop()
	_, err = ann.Send(ctx, room, "while you were away")
	must(t, err)
	r.start()
	r.run(ctx, garten(ann.UserID), RouterKey, "news")
	r.hears(ctx, "news", "while you were away")
	r.say("news", text("two", room, "two"))
	if got := r.shown(ctx, ann, room, "two"); !slices.Contains(got, "one") || !slices.Contains(got, "two") {
		t.Errorf("Ann reads %q", got)
	}
	if again := r.net.Account("news").DeviceID; again != device {
		t.Errorf("device %s became %s", device, again)
	}
	if types := r.overheard(ctx, room, "news"); len(types) != 1 || types["m.room.encrypted"] != 2 {
		t.Errorf("events of ours: %v", types)
	}
	files, err := filepath.Glob(filepath.Join(filepath.Dir(r.path), "crypto", "*"))
	must(t, err)
	if len(files) == 0 {
		t.Fatal("no crypto store")
	}
	for _, f := range files {
		if info, err := os.Stat(f); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v, %v", f, info.Mode(), err)
		}
	}
}

// The key of a message is lost on its way: the message is held, its key is asked
// for and answered, and then it is heard as new, once.
func TestLostKeyIsAskedFor(t *testing.T) {
	t.Parallel()
	r, ctx := newRig(t, nil), within(t, time.Minute)
	ann, room, sent := lostKey(ctx, r)
	r.await(ctx, "the message being held", func() bool { return r.found("news", sent).State == chat.EventHeld })
	if live, _ := r.bodies("news"); len(live) != 0 {
		t.Fatalf("heard %q", live)
	}
	// Ann's device answers while she looks at the room.
	stop := looking(ctx, ann)
	defer stop()
	e := r.hears(ctx, "news", "can you read this?")
	stop()
	if !e.Live || e.EventID != sent || e.State != chat.EventNew {
		t.Errorf("heard %+v", e)
	}
	// The next text is read at once.
	_, err := ann.Send(ctx, room, "and this?")
	must(t, err)
	r.hears(ctx, "news", "and this?")
	if live, _ := r.bodies("news"); !slices.Equal(live, []string{"can you read this?", "and this?"}) {
		t.Errorf("heard %q", live)
	}
	asked := r.proxy.Exchanges(func(x faultproxy.Exchange) bool {
		return strings.Contains(x.Path, "/sendToDevice/m.room_key_request/")
	})
	if len(asked) == 0 || len(asked) > 2 { // one an account
		t.Errorf("asked %d times", len(asked))
	}
}

// found is an event as an account's journal has it, zero when it has not.
func (r *rig) found(key, event string) (e chat.Event) {
	r.t.Helper()
	must(r.t, r.db.Read(r.t.Context(), func(q *store.Reader) (err error) {
		e, _, err = r.journal.Find(q, r.user(key), event)
		return err
	}))
	return e
}

// A lost crypto store: a new device, signed with the stored recovery key by the
// While nobody can say whether the room is encrypted nothing is sent; when the
// homeserver answers, it leaves encrypted.
func TestUnknownEncryptionDefers(t *testing.T) {
	t.Parallel()
	r, ctx := newRig(t, nil), within(t, time.Minute)
	ann := r.hs.Person(t, "ann")
	room := r.prepared(ctx, ann)
	r.deaf(ctx)
	must(t, ann.Encrypt(ctx, room))
	blind := r.proxy.Arm(faultproxy.Fault{Status: 503, Times: 2, Match: func(q *http.Request) bool {
		return strings.Contains(q.URL.Path, "/state/m.room.encryption")
	}})
	r.say("news", text("one", room, "sealed"))
	must(t, blind.WaitHits(ctx, 2))
	if d := r.settled(ctx, "one"); d.State != chat.Sent || d.Attempts < 3 {
		t.Fatalf("%+v", d)
	}
	if got := r.shown(ctx, ann, room, "one"); !slices.Equal(got, []string{"sealed"}) {
		t.Fatalf("Ann reads %q", got)
	}
	if types := r.overheard(ctx, room, "news"); len(types) != 1 || types["m.room.encrypted"] != 1 {
		t.Errorf("events of ours: %v", types)
	}
}

// The process dies when a key is in the store and the response it came in is
// not journalled: the message is heard, once. doc.go 14
func TestCrashBetweenKeysAndJournal(t *testing.T) {
	t.Parallel()
	r, ctx, ann, room := secretRoom(t, nil)
	_, err := ann.Send(ctx, room, "before")
	must(t, err)
	r.hears(ctx, "news", "before")
	r.stop()
	// Another member makes Ann's device take a new key.
	bob := r.hs.Person(t, "bob").UserID
	must(t, ann.Invite(ctx, room, bob))
	_, err = ann.WaitFor(ctx, func(e person.Event) bool { return e.StateKey != nil && *e.StateKey == bob })
	must(t, err)
	sent, err := ann.Send(ctx, room, "in between")
	must(t, err)

	r.start()
	_, err = r.net.Ensure(ctx, "news", "")
	must(t, err)
	since, err := r.net.position(ctx, r.net.Account("news"))
	must(t, err)
	s := &streak{n: r.net, a: r.net.Account("news"), since: since, origin: continued, filter: syncFilter(100), wants: wants{}}
	var keys []seal.Session
	for len(keys) == 0 {
		resp, err := s.ask(ctx, 5*time.Second)
		must(t, err)
		keys, err = s.hearKeys(ctx, resp)
		must(t, err)
	}
	if e := r.found("news", sent); e.EventID != "" {
		t.Fatalf("journalled already: %+v", e)
	}
	r.stop() // nothing of the response was journalled

	r.start()
	r.run(ctx, garten(ann.UserID), RouterKey, "news")
	r.hears(ctx, "news", "in between")
	if live, _ := r.bodies("news"); !slices.Equal(live, []string{"before", "in between"}) {
		t.Errorf("heard %q", live)
	}
}

// A person's device is signed by its account with the recovery key, and an account
