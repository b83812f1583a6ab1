package chat

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"mindroom/internal/store"
)

func said(id, body string, ts int64) Event {
	return Event{EventID: id, Room: roomA, Sender: alice, Type: typeMessage, OriginTS: ts, Content: content(body), Live: true}
}

func with(e Event, relates string) Event {
	e.Content = json.RawMessage(strings.TrimSuffix(string(e.Content), "}") + `,"m.relates_to":` + relates + `}`)
	return e
}

func edited(e Event, target, body string) Event {
	e.Content = json.RawMessage(fmt.Sprintf(`{"body":"* x","m.new_content":{"body":%q},"m.relates_to":{"rel_type":"m.replace","event_id":%q}}`, body, target))
	return e
}

func (b *bundle) record(tb fataler, token string, events ...Event) (fresh int) {
	b.write(tb, func(tx *store.Tx) (err error) {
		fresh, err = b.journal.RecordSync(tx, bot, token, events)
		return err
	})
	return fresh
}

func (b *bundle) position(t *testing.T) (token string) {
	t.Helper()
	err := b.db.Read(t.Context(), func(r *store.Reader) (err error) {
		token, err = b.journal.SyncPosition(r, bot)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return token
}

func (b *bundle) new(t *testing.T) (out string) {
	t.Helper()
	events, err := b.journal.New(t.Context(), bot, 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		out += e.EventID + " "
	}
	return out
}

// Invariants 1 and 2.
func TestRecordSync(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	wake, end := b.journal.Subscribe(bot)
	defer end()
	if b.position(t) != "" {
		t.Error("a position before the first sync")
	}
	failing := errors.New("failing")
	err := b.db.Write(t.Context(), func(tx *store.Tx) error {
		_, err := b.journal.RecordSync(tx, bot, "s1", []Event{said("$1", "x", 1)})
		return errors.Join(err, failing)
	})
	if !errors.Is(err, failing) || b.position(t) != "" || b.new(t) != "" || len(wake) != 0 {
		t.Error("a failed recording left something")
	}
	if n := b.record(t, "s1", said("$1", "x", 1), said("$2", "y", 2)); n != 2 || len(wake) != 1 {
		t.Errorf("fresh = %d, signals = %d", n, len(wake))
	}
	<-wake
	if n := b.record(t, "s2", said("$2", "other", 2), said("$1", "x", 1)); n != 0 || len(wake) != 0 {
		t.Errorf("known events: fresh = %d, signals = %d", n, len(wake))
	}
	b.record(t, "", said("$0", "history", 0))
	if b.position(t) != "s2" || b.new(t) != "$1 $2 $0 " {
		t.Errorf("position %q, new %q", b.position(t), b.new(t))
	}
	events, err := b.journal.New(t.Context(), bot, 1)
	if err != nil || len(events) != 1 || !events[0].Live || Body(events[0].Content) != "x" || events[0].State != EventNew {
		t.Errorf("New = %+v, %v", events, err)
	}
	if others, err := b.journal.New(t.Context(), alice, 10); err != nil || len(others) != 0 {
		t.Errorf("another account reads %+v, %v", others, err)
	}
}

// Invariant 3.
func TestMark(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	b.record(t, "s1", said("$1", "x", 1), said("$2", "y", 2))
	mark := func(seq int64, state EventState, fail error) (ok bool, err error) {
		err = b.db.Write(t.Context(), func(tx *store.Tx) error {
			var err error
			ok, err = b.journal.Mark(tx, seq, state)
			return errors.Join(err, fail)
		})
		return ok, err
	}
	failing := errors.New("the decision did not commit")
	if _, err := mark(1, EventTaken, failing); !errors.Is(err, failing) || b.new(t) != "$1 $2 " {
		t.Errorf("the event was lost with the decision: %v, new %q", err, b.new(t))
	}
	for i, c := range []struct {
		seq   int64
		state EventState
		want  bool
	}{{1, EventTaken, true}, {1, EventTaken, false}, {1, EventIgnored, false}, {2, EventIgnored, true}, {2, EventTaken, false}, {99, EventTaken, false}} {
		if ok, err := mark(c.seq, c.state, nil); ok != c.want || err != nil {
			t.Errorf("step %d: %v, %v", i, ok, err)
		}
	}
	if _, err := mark(1, EventNew, nil); err == nil {
		t.Error("an event became new again")
	}
	if b.new(t) != "" {
		t.Errorf("new = %q", b.new(t))
	}
}

func TestHistory(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	thread := `{"rel_type":"m.thread","event_id":"$root"}`
	mallory := func(e Event) Event { e.Sender = "@mallory:example.org"; return e }
	redaction := func(id, target string) Event {
		return Event{EventID: id, Room: roomA, Sender: alice, Type: typeRedaction, Redacts: target}
	}
	elsewhere := said("$b", "other room", 1)
	elsewhere.Room = roomB
	future := said("$future", "my clock is ahead", b.now.UnixMilli()+1_000_000)
	b.record(t, "s1",
		elsewhere,
		redaction("$early", "$gone2"), // heard before what it redacts
		said("$root", "root", 10),
		with(said("$t1", "in thread", 20), thread),
		said("$m1", "first", 30),
		said("$gone", "never mind", 31), redaction("$r1", "$gone"),
		said("$gone2", "never mind", 32),
		edited(said("$e2", "", 50), "$m1", "second edit"), edited(said("$e1", "", 40), "$m1", "first edit"),
		mallory(edited(said("$e3", "", 60), "$m1", "not mine")),
		edited(said("$e4", "", 70), "$m1", "taken back"), redaction("$r2", "$e4"),
		Event{EventID: "$topic", Room: roomA, Sender: alice, Type: "m.room.topic"},
		future)
	b.now = b.now.Add(1000)
	b.record(t, "s2", said("$last", "later", b.now.UnixMilli()+1))
	for name, c := range map[string]struct {
		conversation Conversation
		limit        int
		want         string
	}{
		"room":          {Conversation{Account: bot, Room: roomA}, 10, "root|second edit*|my clock is ahead|later"},
		"newest":        {Conversation{Account: bot, Room: roomA}, 2, "my clock is ahead|later"},
		"thread's end":  {Conversation{Account: bot, Room: roomA, ThreadRoot: "$root"}, 1, "in thread"},
		"thread":        {Conversation{Account: bot, Room: roomA, ThreadRoot: "$root"}, 10, "root|in thread"},
		"other account": {Conversation{Account: alice, Room: roomA}, 10, ""},
		"other room":    {Conversation{Account: bot, Room: roomB}, 10, "other room"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			messages, err := b.journal.History(t.Context(), c.conversation, c.limit)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, m := range messages {
				body := Body(m.Content)
				if m.Edited {
					body += "*"
				}
				got = append(got, body)
			}
			if strings.Join(got, "|") != c.want {
				t.Errorf("history = %q, want %q", strings.Join(got, "|"), c.want)
			}
		})
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	b.record(t, "s1", said("$1", "x", 1))
	err := b.db.Read(t.Context(), func(r *store.Reader) error {
		e, found, err := b.journal.Find(r, bot, "$1")
		_, other, err2 := b.journal.Find(r, alice, "$1")
		if !found || other || e.Sender != alice {
			t.Errorf("Find = %+v, %v, %v", e, found, other)
		}
		return errors.Join(err, err2)
	})
	if err != nil {
		t.Error(err)
	}
}

func TestWithdrawn(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	gone := Event{EventID: "$gone", Room: roomA, Sender: alice, Type: typeRedaction, OriginTS: 3, Redacts: "$1"}
	b.record(t, "s1", said("$1", "x", 1), said("$2", "y", 2), gone)
	for id, want := range map[string]bool{"$1": true, "$2": false, "$none": false} {
		err := b.db.Read(t.Context(), func(r *store.Reader) error {
			got, err := b.journal.Withdrawn(r, bot, id)
			if got != want {
				t.Errorf("%s is withdrawn: %v", id, got)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
}
