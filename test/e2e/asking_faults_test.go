//go:build goolm

package e2e

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"mindroom/internal/approval"
	"mindroom/internal/person"
	"mindroom/internal/store"
	"mindroom/test/faultproxy"
	"mindroom/test/primary"
)

// behindProxy has the runtime reach the homeserver through a proxy that fails
// when it is told to; people reach it without.
func (h *house) behindProxy() *faultproxy.Proxy {
	h.t.Helper()
	proxy, err := faultproxy.Start(strings.TrimPrefix(h.env[0], "MATRIX_HOMESERVER="))
	h.must(err)
	h.t.Cleanup(proxy.Close)
	h.env = append(h.env, "MATRIX_HOMESERVER="+proxy.URL) // the last of two values counts
	return proxy
}

// waitsFor waits until a count in the database is over 0: what happens there
// wakes nobody here.
func (h *house) waitsFor(query string) {
	h.t.Helper()
	within := h.within()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for n := 0; n == 0; {
		select {
		case <-tick.C:
		case <-within.Done():
			h.must(errors.New("never: " + query))
		}
		h.must(primary.Read(h.t.Context(), h.folder, func(q *store.Reader) error { return q.QueryRow(query).Scan(&n) }))
	}
}

// sends matches the sending of events whose path holds what.
func sends(what string) func(*http.Request) bool {
	return func(r *http.Request) bool {
		return r.Method == http.MethodPut && strings.Contains(r.URL.Path, "/send/"+what)
	}
}

// Nothing can be said in the room as long as a question lives: it expires, its
// call does not run, and the room is told once it can be.
func TestNobodySeesACardInTime(t *testing.T) {
	t.Parallel()
	page := newCounted(t)
	people := persons(t, "anna", "ben", "ghost")
	anna := people["anna"]
	h := newAsker(t, strings.Replace(asking, "tool_approval:", "tool_approval:\n  timeout_days: 0.00003", 1), page.url, people)
	proxy := h.behindProxy()
	h.start()
	room := h.enter(anna)
	down := proxy.Arm(faultproxy.Fault{DropRequest: true, Match: sends("")})
	asked, err := anna.Send(h.within(), room, "read "+page.url+"/page")
	h.must(err)
	h.must(down.WaitHits(h.within(), 3))
	h.waitsFor(`SELECT count(*) FROM approval_cards WHERE state = 'expired'`)
	down.Disarm()
	h.answer(anna, room, asked, "It did not read: approval_expired")
	h.question(anna, room, 1, "expired")
	if page.read() != 0 {
		t.Errorf("read %d times", page.read())
	}
}

// A homeserver that stores the card and loses the answer shows one question, and
// whoever decides on what it stored has decided.
func TestDecidedOnACardNobodyKnowsOf(t *testing.T) {
	t.Parallel()
	page := newCounted(t)
	people := persons(t, "anna", "ben", "ghost")
	anna := people["anna"]
	h := newAsker(t, asking, page.url, people)
	proxy := h.behindProxy()
	h.start()
	room := h.enter(anna)
	lost := proxy.Arm(faultproxy.Fault{DropReply: true, Times: 2, Match: sends(approval.EventType)})
	asked, err := anna.Send(h.within(), room, "read "+page.url+"/page")
	h.must(err)
	var card person.Event
	h.until(anna, room, "the card", func(raw, _ []person.Event) bool {
		for _, e := range raw {
			if e.Type == approval.EventType && e.Replaces() == "" {
				card = e
			}
		}
		return card.ID != ""
	})
	_, err = anna.React(h.within(), room, card.ID, "✅")
	h.must(err)
	h.must(lost.WaitHits(h.within(), 1))
	h.answer(anna, room, asked, "It says: all is well")
	h.question(anna, room, 1, "approved")
	if page.read() != 1 {
		t.Errorf("read %d times", page.read())
	}
	raw, err := anna.Timeline(h.within(), room, 500)
	h.must(err)
	for _, q := range questions(raw, person.Fold(raw)) {
		if len(q.card.Content) > 0 && q.status() != string(approval.Approved) {
			t.Errorf("a card still says %s", q.status())
		}
	}
}
