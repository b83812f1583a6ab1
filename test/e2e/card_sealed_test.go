//go:build goolm

package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"mindroom/internal/person"
	"mindroom/test/homeserver"
)

// In an encrypted room the question whether a tool may be called is encrypted, with
// all that it says of the call; the person's reaction decides it, and the answer
// goes on encrypted, over a restart in between. doc.go of matrix, 10
func TestCardInAnEncryptedRoom(t *testing.T) {
	t.Parallel()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "a page for few eyes") }))
	t.Cleanup(site.Close)
	people := persons(t, "anna", "ben", "dora")
	anna := people["anna"]
	h := newHouse(t, strings.Replace(twoAgents, "authorization:", `rooms: {operations: {encrypted: true}}
tool_approval: {rules: [{match: read_url, action: require_approval}]}
authorization:`, 1), talk, people)
	h.must(anna.Secure(h.within()))
	h.start()
	room := h.enter(anna)
	witness := homeserver.Shared(t).Person(t, "witness")
	h.must(anna.Invite(h.within(), room, witness.UserID))
	_, err := witness.Join(h.within(), room)
	h.must(err)

	asked, err := anna.Send(h.within(), room, "read "+site.URL)
	h.must(err)
	var card person.Event
	h.until(anna, room, "the card", func(raw, _ []person.Event) bool {
		at := slices.IndexFunc(raw, func(e person.Event) bool { return e.Type == "io.mindroom.tool_approval" && e.Replaces() == "" })
		if at >= 0 {
			card = raw[at]
		}
		return at >= 0
	})
	if said, err := json.Marshal(card.Content); !card.Encrypted || !strings.Contains(string(said), site.URL) {
		t.Errorf("the card is encrypted: %v, and says %s, %v", card.Encrypted, said, err)
	}
	h.stop()
	h.start()
	_, err = anna.React(h.within(), room, card.ID, "✅")
	h.must(err)
	h.until(anna, room, "the answer", func(_, messages []person.Event) bool {
		return slices.ContainsFunc(messages, func(e person.Event) bool {
			return e.ThreadRoot() == asked && strings.Contains(e.Body(), "few eyes") && e.Encrypted
		})
	})
	all, err := witness.Timeline(h.within(), room, 500)
	h.must(err)
	for _, e := range all {
		raw, err := json.Marshal(e.Content)
		h.must(err)
		if e.StateKey == nil && e.Type != "m.room.encrypted" && e.Type != "m.reaction" && e.Type != "m.room.redaction" || strings.Contains(string(raw), site.URL) {
			t.Errorf("%s of %s in clear: %s", e.Type, e.Sender, raw)
		}
	}
}
