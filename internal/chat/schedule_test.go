package chat

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mindroom/internal/store"
)

// homeserver is one that honours transaction ids.
type homeserver struct {
	events map[string]string // by transaction
	log    []Delivery        // as first accepted
}

func (h *homeserver) accept(d Delivery) string {
	if event, known := h.events[d.TxnID]; known {
		return event
	}
	event := fmt.Sprintf("$%d", len(h.log))
	h.events[d.TxnID] = event
	h.log = append(h.log, d)
	return event
}

// TestSchedule drives the outbox through any order of enqueuing, progress,
// answers, lost answers, late answers, echoes, failures and crashes, and holds
// invariants 4, 5, 7 and 8 of what the homeserver was given.
func TestSchedule(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	rapid.Check(t, func(rt *rapid.T) {
		b.write(rt, func(tx *store.Tx) error {
			_, err := tx.Exec("DELETE FROM chat_copies")
			_, err2 := tx.Exec("DELETE FROM chat_deliveries")
			return errors.Join(err, err2)
		})
		h := &homeserver{events: map[string]string{}}
		rooms := []string{roomA, roomB}
		roomOf, finals, shown := map[string]string{}, map[string]bool{}, map[string]string{}
		var order, targets []string
		var flying []Delivery

		pick := func(what string) (string, bool) {
			if len(targets) == 0 {
				return "", false
			}
			return rapid.SampledFrom(targets).Draw(rt, what), true
		}
		next := func() []Delivery {
			due := b.next(rt)
			for _, d := range due {
				if d.Progress && finals[d.Target.Delivery] {
					rt.Fatalf("progress of %s goes out after its final edit was enqueued", d.Target.Delivery)
				}
			}
			return due
		}
		answer := func(outcome string, d Delivery) {
			switch outcome {
			case "sent":
				b.sent(rt, d.ID, h.accept(d))
			case "answer lost":
				h.accept(d)
				b.failed(rt, d.ID, KindUnreachable, b.now.Add(time.Second))
			case "echo before the answer":
				event := h.accept(d)
				b.write(rt, func(tx *store.Tx) error { _, err := b.outbox.Echo(tx, bot, d.TxnID, event); return err })
				b.sent(rt, d.ID, event)
			case "failed":
				b.failed(rt, d.ID, KindUnreachable, b.now.Add(time.Second))
			case "refused":
				b.failed(rt, d.ID, KindForbidden, time.Time{})
			}
		}
		rt.Repeat(map[string]func(*rapid.T){
			"message": func(*rapid.T) {
				id := fmt.Sprintf("m%d", len(order))
				roomOf[id] = rapid.SampledFrom(rooms).Draw(rt, "room")
				order, targets = append(order, id), append(targets, id)
				b.enqueue(rt, message(id, roomOf[id], "start"))
			},
			"message again": func(*rapid.T) {
				if id, ok := pick("known"); ok && b.enqueue(rt, message(id, roomOf[id], "again")) {
					rt.Fatalf("%s was fresh twice", id)
				}
			},
			"progress": func(*rapid.T) {
				if id, ok := pick("target"); ok {
					body := fmt.Sprintf("progress %d", rapid.IntRange(0, 1_000_000).Draw(rt, "body"))
					if was := b.progress(rt, roomOf[id], id, body); was == finals[id] {
						rt.Fatalf("progress shown = %v with final = %v", was, finals[id])
					} else if was {
						shown[id] = body
					}
				}
			},
			"final": func(*rapid.T) {
				if id, ok := pick("target"); ok {
					final := id + "-final"
					if b.enqueue(rt, edit(final, roomOf[id], id, "final")) {
						order = append(order, final)
						roomOf[final] = roomOf[id]
					}
					finals[id] = true
				}
			},
			"next": func(*rapid.T) { flying = append(flying, next()...) },
			"answer": func(*rapid.T) {
				if len(flying) > 0 {
					i := rapid.IntRange(0, len(flying)-1).Draw(rt, "which")
					d := flying[i]
					flying = append(flying[:i:i], flying[i+1:]...)
					answer(rapid.SampledFrom([]string{"sent", "answer lost", "echo before the answer", "failed", "refused"}).Draw(rt, "outcome"), d)
				}
			},
			"crash": func(*rapid.T) {
				for _, d := range flying {
					if rapid.Bool().Draw(rt, "accepted") {
						h.accept(d)
					}
				}
				flying = nil
				b.reopen(rt)
			},
			"time passes": func(*rapid.T) { b.now = b.now.Add(time.Second) },
			"": func(rt *rapid.T) {
				inFlight := map[string]bool{}
				for _, d := range flying {
					if inFlight[d.Room] {
						rt.Fatalf("two deliveries on their way to %s", d.Room)
					}
					inFlight[d.Room] = true
				}
				for _, id := range targets {
					if n := b.queuedProgress(rt, id); n > 1 {
						rt.Fatalf("%d progress edits of %s are queued", n, id)
					}
				}
			},
		})
		for range 10_000 { // drain
			if len(flying) == 0 {
				b.now = b.now.Add(time.Second)
				if flying = next(); len(flying) == 0 {
					break
				}
			}
			answer("sent", flying[0])
			flying = flying[1:]
		}
		b.checkServer(rt, h, order, roomOf, shown)
	})
}

// checkServer compares what the homeserver was given with the rows.
func (b *bundle) checkServer(rt *rapid.T, h *homeserver, order []string, roomOf, shown map[string]string) {
	given := map[string]Delivery{}
	perRoom := map[string][]string{}
	finalSeen := map[string]bool{}
	lastProgress := map[string]string{}
	for _, d := range h.log {
		if _, twice := given[d.ID]; twice {
			rt.Fatalf("%s was given under two transactions", d.ID)
		}
		given[d.ID] = d
		if d.Kind == KindEdit {
			if want := b.get(rt, d.Target.Delivery).EventID; d.Target.Event != want || want == "" {
				rt.Fatalf("%s edits %q, its target is %q", d.ID, d.Target.Event, want)
			}
			if finalSeen[d.Target.Delivery] && d.Progress {
				rt.Fatalf("progress of %s after its final edit", d.Target.Delivery)
			}
			if d.Progress {
				lastProgress[d.Target.Delivery] = Body(d.Content)
			} else {
				finalSeen[d.Target.Delivery] = true
			}
		}
		if !d.Progress {
			perRoom[d.Room] = append(perRoom[d.Room], d.ID)
		}
	}
	wantRoom := map[string][]string{}
	for _, id := range order {
		d := b.get(rt, id)
		_, arrived := given[id]
		switch {
		case !d.State.Over():
			rt.Fatalf("%s is still %s after everything was sent", id, d.State)
		case d.State == Sent && (!arrived || h.events[d.TxnID] != d.EventID):
			rt.Fatalf("%s is sent as %s, the homeserver has %q", id, d.EventID, h.events[d.TxnID])
		}
		if arrived { // a refused one may have arrived in an earlier attempt
			wantRoom[roomOf[id]] = append(wantRoom[roomOf[id]], id)
		}
	}
	for room, want := range wantRoom {
		if fmt.Sprint(perRoom[room]) != fmt.Sprint(want) {
			rt.Fatalf("%s got %v, want %v", room, perRoom[room], want)
		}
	}
	for id, body := range shown {
		if b.get(rt, id).State == Sent && !finalSeen[id] && lastProgress[id] != "" && lastProgress[id] != body && b.refused(rt, id) == 0 {
			rt.Fatalf("%s shows %q, the newest is %q", id, lastProgress[id], body)
		}
	}
}

// refused counts the edits of id that the homeserver refused for good.
func (b *bundle) refused(rt *rapid.T, id string) int { return b.count(rt, id, "state = 'failed'") }

func (b *bundle) queuedProgress(rt *rapid.T, id string) int {
	return b.count(rt, id, "progress AND state = 'queued'")
}

func (b *bundle) count(rt *rapid.T, id, which string) (n int) {
	err := b.db.Read(context.Background(), func(r *store.Reader) error {
		return r.QueryRow("SELECT count(*) FROM chat_deliveries WHERE target_delivery = $1 AND "+which, id).Scan(&n)
	})
	if err != nil {
		rt.Fatal(err)
	}
	return n
}
