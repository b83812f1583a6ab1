//go:build goolm

package e2e

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"mindroom/internal/person"
)

// In an encrypted room commands and their answers are encrypted, and the stop
// button works: reactions are in clear there, for everybody.
func TestCommandsInAnEncryptedRoom(t *testing.T) {
	t.Parallel()
	arrived := make(chan struct{}, 10)
	site := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		arrived <- struct{}{}
		<-r.Context().Done()
	}))
	t.Cleanup(site.Close)
	people := persons(t, "anna", "ben", "dora")
	anna := people["anna"]
	h := newHouse(t, strings.Replace(twoAgents, "authorization:", "rooms: {operations: {encrypted: true}}\nauthorization:", 1), talk, people)
	h.must(anna.Secure(h.within()))
	h.start()
	room := h.enter(anna)

	thread, got := h.says(anna, room, "!e2ee")
	if !got.Encrypted || !strings.Contains(got.Body(), "🔒 This room is encrypted.") || strings.Count(got.Body(), "✅") != 2 {
		t.Errorf("!e2ee is answered, encrypted %v: %q", got.Encrypted, got.Body())
	}
	inside, err := anna.SendThread(h.within(), room, thread, "!mode watcher")
	h.must(err)
	if got := h.reply(anna, room, inside); !got.Encrypted || got.Body() != "`watcher` uses **standard** mode in this conversation." {
		t.Errorf("!mode is answered, encrypted %v: %q", got.Encrypted, got.Body())
	}
	asked, err := anna.Send(h.within(), room, "read "+site.URL)
	h.must(err)
	select {
	case <-arrived:
	case <-h.within().Done():
		t.Fatal("the agent does not read")
	}
	var answer, button person.Event
	h.until(anna, room, "the button", func(raw, messages []person.Event) bool {
		for _, m := range answersTo(messages, asked) {
			answer = m
		}
		for _, e := range raw {
			if key, target := e.Reaction(); key == "🛑" && target == answer.ID && answer.ID != "" {
				button = e
			}
		}
		return button.ID != ""
	})
	if !answer.Encrypted || button.Encrypted {
		t.Errorf("the answer is encrypted: %v; the button: %v", answer.Encrypted, button.Encrypted)
	}
	_, err = anna.React(h.within(), room, answer.ID, "🛑")
	h.must(err)
	h.until(anna, room, "the end", func(raw, messages []person.Event) bool {
		all := answersTo(messages, asked)
		gone := false
		for _, e := range raw {
			gone = gone || e.ID == button.ID && len(e.Content) == 0
		}
		return gone && len(all) == 1 && strings.HasSuffix(all[0].Body(), "**[Response cancelled by user]**")
	})
}
