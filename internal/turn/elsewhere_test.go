package turn

import (
	"strings"
	"testing"

	"mindroom/internal/identity"
	"mindroom/internal/store"
)

// A reply of a client without threads stands in the room, and is answered in the
// thread of what it replies to: by its own turn, and known to later ones.
func TestAReplyFromOutsideTheThread(t *testing.T) {
	t.Parallel()
	b := newBundle(t, "", nil)
	b.model.plays(says("One."), says("Two."), says("Three."))
	b.ends(b.ask("$1", "first"), Answered)
	outside := func(event, body string) string {
		t.Helper()
		heard(t, b.db, "", event, ann, map[string]any{"msgtype": "m.text", "body": body,
			"m.relates_to": map[string]any{"m.in_reply_to": map[string]any{"event_id": "$1"}}})
		must(t, b.db.Write(t.Context(), func(tx *store.Tx) error {
			return b.engine.Create(tx, Request{Agent: "watcher", Account: ownID, Who: identity.InThread("watcher", ann, roomID, "$root"),
				Room: roomID, ThreadRoot: "$root", TriggerEvent: event})
		}))
		return b.turnOf(event)
	}
	b.ends(outside("$2", "second"), Answered)
	if last := lastOf(b.model.asked()[1]); !strings.Contains(last, `event_id="$2">second</msg>`) {
		t.Errorf("the model is asked %q", last)
	}
	b.ends(b.ask("$3", "third"), Answered)
	var all []string
	for _, m := range b.model.asked()[2].Messages {
		all = append(all, m.Text())
	}
	history := strings.Join(all, "\n")
	if first, second, third := strings.Index(history, ">first<"), strings.Index(history, ">second<"), strings.Index(history, ">third<"); first < 0 || second < first || third < second {
		t.Errorf("the history reads %s", history)
	}
	// One that was taken back is neither answered nor remembered.
	b.stop()
	gone := outside("$4", "fourth")
	redact(t, b.db, "$4")
	b.reopen()
	b.ends(gone, Failed)
	if got := b.row(gone).reason; got != string(ReasonNoTrigger) || len(b.model.asked()) != 3 {
		t.Errorf("it ended with %s, the model was asked %d times", got, len(b.model.asked()))
	}
}
