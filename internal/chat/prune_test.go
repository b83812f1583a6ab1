package chat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"mindroom/internal/store"
)

const day = 24 * time.Hour

func nobodyBusy(store.Queryer) (map[Place]bool, error) { return nil, nil }

// said is an event of alice at the bundle's present, with relations.
func (b *bundle) said(id, room, relations string) Event {
	e := Event{EventID: id, Room: room, Sender: alice, Type: typeMessage, OriginTS: b.now.UnixMilli(), Live: true}
	e.Content = json.RawMessage(`{"body":"` + id + `"` + relations + `}`)
	return e
}

func thread(root string) string {
	return `,"m.relates_to":{"rel_type":"m.thread","event_id":"` + root + `"}`
}

func editOf(of string) string {
	return `,"m.relates_to":{"rel_type":"m.replace","event_id":"` + of + `"}`
}

// take decides on everything that is new.
func (b *bundle) take(tb testing.TB) {
	tb.Helper()
	b.write(tb, func(tx *store.Tx) error {
		_, err := tx.Exec(`UPDATE chat_events SET state = 'taken' WHERE state = 'new'`)
		return err
	})
}

func (b *bundle) pruneEvents(tb testing.TB, window time.Duration, busy Busy) int {
	tb.Helper()
	n, err := b.journal.Prune(context.Background(), b.now.Add(-window), busy)
	if err != nil {
		tb.Fatal(err)
	}
	return n
}

func (b *bundle) events(tb testing.TB) string {
	tb.Helper()
	var ids []string
	err := b.db.Read(context.Background(), func(r *store.Reader) error {
		ids = nil
		return store.Each(r, func(rows *store.Rows) error {
			var id string
			err := rows.Scan(&id)
			ids = append(ids, id)
			return err
		}, `SELECT event_id FROM chat_events ORDER BY event_id`)
	})
	if err != nil {
		tb.Fatal(err)
	}
	return strings.Join(ids, " ")
}

// What goes and what stays, 100 days after the first words and with a window of
// 90 days.
func TestPruneEvents(t *testing.T) {
	t.Parallel()
	busy := func(store.Queryer) (map[Place]bool, error) { return map[Place]bool{{bot, roomA}: true}, nil }
	at := func(b *bundle, e Event, origin time.Time) Event { e.OriginTS = origin.UnixMilli(); return e }
	for name, c := range map[string]struct {
		first, later func(b *bundle) []Event // 100 days ago and 10 days ago
		new          bool                    // nobody decided on the first ones
		busy         Busy
		left         string
	}{
		"silent": {first: func(b *bundle) []Event { return []Event{b.said("$a", roomA, ""), b.said("$b", roomA, "")} }, left: "$z"},
		"a living conversation": {
			first: func(b *bundle) []Event { return []Event{b.said("$a", roomA, "")} },
			later: func(b *bundle) []Event { return []Event{b.said("$b", roomA, "")} }, left: "$a $b $z",
		},
		"a silent thread in a living room": {
			first: func(b *bundle) []Event { return []Event{b.said("$a", roomA, ""), b.said("$b", roomA, thread("$a"))} },
			later: func(b *bundle) []Event { return []Event{b.said("$c", roomA, "")} }, left: "$a $c $z",
		},
		"the root of a living thread": {
			first: func(b *bundle) []Event { return []Event{b.said("$a", roomA, ""), b.said("$b", roomA, "")} },
			later: func(b *bundle) []Event { return []Event{b.said("$c", roomA, thread("$a"))} }, left: "$a $c $z",
		},
		"edits go with their original": {
			first: func(b *bundle) []Event {
				return []Event{b.said("$a", roomA, thread("$r")), b.said("$b", roomA, editOf("$a"))}
			}, left: "$z",
		},
		"an original that is edited still": {
			first: func(b *bundle) []Event { return []Event{b.said("$a", roomA, thread("$r"))} },
			later: func(b *bundle) []Event { return []Event{b.said("$b", roomA, editOf("$a"))} }, left: "$a $b $z",
		},
		"nobody decided": {first: func(b *bundle) []Event { return []Event{b.said("$a", roomA, "")} }, new: true, left: "$a $z"},
		"held": {first: func(b *bundle) []Event {
			e := b.said("$a", roomA, "")
			e.State = EventHeld
			return []Event{e}
		}, left: "$a $z"},
		"a turn is live there":  {first: func(b *bundle) []Event { return []Event{b.said("$a", roomA, ""), b.said("$b", roomB, "")} }, busy: busy, left: "$a $z"},
		"dated in the future":   {first: func(b *bundle) []Event { return []Event{at(b, b.said("$a", roomA, ""), b.now.Add(50*day))} }, left: "$a $z"},
		"old words, heard late": {later: func(b *bundle) []Event { return []Event{at(b, b.said("$a", roomA, ""), b.now.Add(-200*day))} }, left: "$a $z"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBundle(t)
			now := b.now
			for _, part := range []struct {
				ago  time.Duration
				said func(*bundle) []Event
			}{{100 * day, c.first}, {10 * day, c.later}} {
				if b.now = now.Add(-part.ago); part.said != nil {
					b.record(t, "", part.said(b)...)
				}
				if !c.new {
					b.take(t)
				}
			}
			b.now = now
			b.record(t, "", b.said("$z", "!elsewhere:example.org", "")) // the newest of all
			if c.busy == nil {
				c.busy = nobodyBusy
			}
			// A root goes one pass after its thread.
			b.pruneEvents(t, 90*day, c.busy)
			b.pruneEvents(t, 90*day, c.busy)
			if got := b.events(t); got != c.left {
				t.Errorf("left: %s, want %s", got, c.left)
			}
		})
	}
}

// Of a living conversation go the messages beyond what anybody reads, in batches.
func TestPruneLongConversation(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	now := b.now
	b.now = now.Add(-100 * day)
	var all []Event
	for i := range Kept + 450 {
		e := b.said(fmt.Sprintf("$%05d", i), roomA, thread("$root"))
		e.OriginTS += int64(i)
		all = append(all, e)
	}
	b.record(t, "", all...)
	b.take(t)
	b.now = now
	b.record(t, "", b.said("$now", roomA, thread("$root")))
	if n := b.pruneEvents(t, 90*day, nobodyBusy); n != 451 {
		t.Errorf("%d events went", n)
	}
	c := Conversation{Account: bot, Room: roomA, ThreadRoot: "$root"}
	h, err := b.journal.History(t.Context(), c, Kept)
	if err != nil || len(h) != Kept || h[0].EventID != "$00451" {
		t.Errorf("%d messages are left, from %s on, %v", len(h), h[0].EventID, err)
	}
}

// A room remembers up to when its events were deleted; others do not.
func TestForgotten(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	now := b.now
	b.now = now.Add(-100 * day)
	last := b.said("$b", roomA, thread("$r"))
	last.OriginTS += 5000
	b.record(t, "", b.said("$a", roomA, ""), last)
	b.take(t)
	b.now = now
	b.record(t, "", b.said("$z", roomB, ""))
	forgotten := func(room string) (ts int64) {
		err := b.db.Read(t.Context(), func(r *store.Reader) (err error) {
			ts, err = b.journal.Forgotten(r, bot, room)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return ts
	}
	if ts := forgotten(roomA); ts != 0 {
		t.Errorf("before: %d", ts)
	}
	if n := b.pruneEvents(t, 90*day, nobodyBusy); n != 2 {
		t.Errorf("%d events went", n)
	}
	if got := []int64{forgotten(roomA), forgotten(roomB)}; !slices.Equal(got, []int64{last.OriginTS, 0}) {
		t.Errorf("forgotten up to %v, want %d", got, last.OriginTS)
	}
}

// Deliveries that are over go; what waits, and what it refers to, stays.
func TestPruneDeliveries(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	now := b.now
	b.now = now.Add(-100 * day)
	for _, id := range []string{"gone", "target", "busy"} {
		room := roomA
		if id == "busy" {
			room = roomB
		}
		b.enqueue(t, message(id, room, id))
		b.next(t)
		b.sent(t, id, "$"+id)
	}
	b.enqueue(t, edit("waits", roomA, "target", "new"))
	b.enqueue(t, message("failed", "!c:example.org", "x"))
	b.now = now
	for _, d := range b.next(t) {
		if d.ID == "failed" {
			b.failed(t, d.ID, "refused", time.Time{})
		} else {
			b.failed(t, d.ID, "unreachable", now.Add(time.Minute))
		}
	}
	b.enqueue(t, message("newest", roomA, "x"))
	prune := func() (n int) {
		n, err := b.outbox.Prune(t.Context(), b.now.Add(-90*day), func(store.Queryer) (map[Place]bool, error) {
			return map[Place]bool{{bot, roomB}: true}, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := prune(); n != 1 {
		t.Errorf("%d went at first", n)
	}
	for id, there := range map[string]bool{"gone": false, "target": true, "busy": true, "waits": true, "failed": true, "newest": true} {
		err := b.db.Read(t.Context(), func(r *store.Reader) error { _, err := Get(r, id); return err })
		if errors.Is(err, ErrUnknown) == there {
			t.Errorf("%s: there is %v, %v", id, !there, err)
		}
	}
	// Its copies are gone with it: the event is nobody's now.
	err := b.db.Read(t.Context(), func(r *store.Reader) error {
		_, ours, err := ByEvent(r, bot, "$gone")
		if ours {
			t.Error("a copy of a deleted delivery is left")
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	b.now = now.Add(time.Hour)
	if due := b.next(t); len(due) != 1 || due[0].ID != "waits" || due[0].Target.Event != "$target" {
		t.Errorf("due: %+v", due)
	}
	// A year later everything is over but what was never sent.
	b.sent(t, "waits", "$edit")
	b.now = now.Add(365 * day)
	if n := prune(); n != 3 {
		t.Errorf("%d went at last", n)
	}
}
