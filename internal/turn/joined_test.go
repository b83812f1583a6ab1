package turn

import (
	"strings"
	"testing"

	"mindroom/internal/identity"
	"mindroom/internal/media"
	"mindroom/internal/model"
	"mindroom/internal/store"
)

// A picture in the room that is answered with the text after it, whose answer
// begins a thread: the model sees both at once, and the next turn of the thread,
// after a restart as well, still knows the picture.
func TestAPictureIsAnsweredWithItsText(t *testing.T) {
	t.Parallel()
	box := &mailbox{files: map[string]string{"mxc://x/cat": png}}
	b := seeing(t, box, model.Sight{Pictures: true})
	b.model.plays(says("A cat."), says("Black."))
	heard(t, b.db, "", "$cat", ann, map[string]any{"msgtype": "m.image", "body": "cat.png", "url": "mxc://x/cat", "info": map[string]any{"mimetype": "image/png"}})
	heard(t, b.db, "", "$ask", ann, map[string]any{"msgtype": "m.text", "body": "what is it?"})
	must(t, b.db.Write(t.Context(), func(tx *store.Tx) error {
		return b.engine.Create(tx, Request{Agent: "watcher", Account: ownID, Who: identity.InThread("watcher", ann, roomID, "$ask"),
			Room: roomID, ThreadRoot: "$ask", TriggerEvent: "$ask", Joined: []string{"$cat", "$unknown"}})
	}))
	b.ends(b.turnOf("$ask"), Answered)
	id := media.Owner{Kind: media.OwnedByEvent, ID: "$cat"}.AttachmentID()
	shown, text := pictures(t, b.model.asked()[0])
	if len(shown) != 1 || shown[0] != png {
		t.Errorf("shown %q", shown)
	}
	head, tail, found := strings.Cut(text, "</queued_messages>")
	if !found || !strings.Contains(head, "<queued_messages>\n<msg ") || !strings.Contains(head, "[attachment "+id) || !strings.Contains(tail, `event_id="$ask">what is it?</msg>`) {
		t.Errorf("the model is asked %s", text)
	}
	b.reopen()
	b.ends(b.askIn("$ask", "$2", "what colour?"), Answered)
	shown, text = pictures(t, b.model.asked()[1])
	if len(shown) != 1 || shown[0] != png || strings.Contains(text, "queued_messages") || strings.Index(text, id) > strings.Index(text, "what is it?") {
		t.Errorf("the next turn shows %q with %s", shown, text)
	}
	// What was taken back stays away.
	b.model.plays(says("Which?"))
	redact(t, b.db, "$cat")
	b.ends(b.askIn("$ask", "$3", "and now?"), Answered)
	if shown, text = pictures(t, b.model.asked()[2]); len(shown) != 0 || strings.Contains(text, "[attachment") {
		t.Errorf("shown %q with %s", shown, text)
	}
}
