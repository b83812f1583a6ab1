package console

import (
	"strings"
	"testing"
	"testing/synctest"

	"mindroom/internal/person"
)

func envelope(id, sender, key string) person.Event {
	return person.Event{ID: id, Room: here, Sender: sender, Type: "m.room.encrypted", Time: instant, Encrypted: true, Content: map[string]any{"session_id": key}}
}

// What cannot be read is said once for each key, and shown when its key comes; the
// past is counted. doc.go 4
func TestWhatCannotBeReadIsSaid(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(envelope("$p1", keeper, "old"), said("$p2", keeper, "readable", "", ""), envelope("$p3", keeper, "old"))
		r.onSend = func(r *room, id, root, _ string) {
			r.say(envelope("$1", keeper, "k"), envelope("$2", keeper, "k"), said("$1", keeper, "first", "", ""), said("$2", keeper, "second", "", ""),
				// A key of the past comes late.
				said("$p1", keeper, "long closed", "", ""))
			answer(r, id, root, "")
		}
		out, notes, err := chat(t, r, newTypist("hello?"), nil)
		if want := "Keeper: readable\nAnn [1]: hello?\nKeeper: first\nKeeper: second\nKeeper: long closed\nKeeper [1]: It is\n  so.\n"; out != want || err != nil {
			t.Errorf("shown:\n%s (%v), want:\n%s", out, err, want)
		}
		if strings.Count(notes, "cannot be read here") != 2 || !strings.Contains(notes, "2 of the messages of the past") || !strings.Contains(notes, "a message of Keeper") {
			t.Errorf("notes:\n%s", notes)
		}
	})
}
