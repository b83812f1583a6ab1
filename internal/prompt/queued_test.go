package prompt

import (
	"strings"
	"testing"

	"mindroom/internal/media"
	"mindroom/internal/model"
)

// What is answered together is asked together, however little room there is for
// the conversation before it; pictures beyond the room are named.
func TestQueuedMessages(t *testing.T) {
	t.Parallel()
	ref := media.Ref{Digest: strings.Repeat("a", 64), MIME: "image/png", Size: 5}
	picture := func(id string) Entry {
		return Entry{EventID: "$" + id, Sender: "@ann:x", Files: []File{{ID: id, Name: id + ".png", Kind: media.Image, Show: &ref}}}
	}
	trigger := Entry{EventID: "$t", Sender: "@ann:x", Text: "these?", Queued: []Entry{picture("att_1"), picture("att_2")}}
	out := Messages([]Entry{{Sender: "@ann:x", Text: "long ago"}}, trigger, Limits{Characters: 1})
	var text string
	var shown int
	for _, p := range out[0].Parts {
		if p.Kind == model.PartMedia {
			shown++
		}
		text += p.Text
	}
	if len(out) != 1 || shown != 1 || strings.Contains(text, "long ago") || !strings.Contains(text, "att_2.png") || !strings.Contains(text, "not shown: the conversation") {
		t.Errorf("%d messages, %d pictures: %s", len(out), shown, text)
	}
	if q, m := strings.Index(text, "</queued_messages>"), strings.Index(text, "these?"); !strings.HasPrefix(text, "<queued_messages>\n<msg ") || q < 0 || m < q {
		t.Errorf("it reads %s", text)
	}
}
