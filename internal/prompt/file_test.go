package prompt

import (
	"fmt"
	"strings"
	"testing"

	"mindroom/internal/media"
	"mindroom/internal/model"
)

// shape writes messages as their parts: texts by their length or name, media by
// their digest.
func shape(messages []model.Message) string {
	var b strings.Builder
	for _, m := range messages {
		b.WriteString(string(m.Role) + ":")
		for _, p := range m.Parts {
			switch {
			case p.Kind == model.PartMedia:
				b.WriteString(" <" + p.Media.Digest + ">")
			case strings.HasPrefix(p.Text, "[att_"):
				b.WriteString(" " + p.Text)
			default:
				b.WriteString(fmt.Sprintf(" text(%d msgs)", strings.Count(p.Text, "</msg>")))
			}
		}
		b.WriteString("; ")
	}
	return b.String()
}

func picture(id string) File {
	return File{ID: "att_" + id, Name: id + ".png", Kind: media.Image, Size: 2000, Show: &media.Ref{Digest: id, MIME: "image/png"}}
}

// Sentence 5: shown files follow the message that carries them, under their ids,
// while they fit; one picture to be answered is always shown.
func TestFilesFollowTheirMessage(t *testing.T) {
	t.Parallel()
	history := []Entry{
		{Sender: "@p:x", Text: "old", Files: []File{picture("a")}},
		{Sender: "@p:x", Text: "next"},
		{Sender: "@bot:x", Own: true, Text: "I see"},
		{Sender: "@p:x", Files: []File{picture("b")}},
	}
	trigger := Entry{Sender: "@p:x", Text: "and this?", Files: []File{picture("c"), {ID: "att_d", Name: "d.bin", Kind: media.File, Note: "it is gone"}}}
	for _, c := range []struct {
		characters int
		want       string
	}{
		{100_000, "user: text(1 msgs) [att_a] <a> text(1 msgs); assistant: text(0 msgs); user: text(1 msgs) [att_b] <b> text(1 msgs) [att_c] <c>; "},
		{15_000, "user: text(1 msgs); assistant: text(0 msgs); user: text(1 msgs) [att_b] <b> text(1 msgs) [att_c] <c>; "},
		{0, "user: text(1 msgs) [att_c] <c>; "},
	} {
		got := Messages(history, trigger, Limits{Characters: c.characters})
		if shape := shape(got); shape != c.want {
			t.Errorf("%d characters: %s, want %s", c.characters, shape, c.want)
		}
		text := got[len(got)-1].Text()
		if !strings.Contains(text, `and this?`+"\n"+`[attachment att_c: "c.png", image, 2 KB]`+"\n"+`[attachment att_d: "d.bin", file; not shown: it is gone]</msg>`) {
			t.Errorf("%d characters: the last message reads %s", c.characters, text)
		}
	}
	two := Messages(nil, Entry{Sender: "@p:x", Files: []File{picture("a"), picture("b")}}, Limits{Characters: 0})
	if got := shape(two); got != "user: text(1 msgs) [att_a] <a>; " || !strings.Contains(two[0].Text(), `"b.png", image, 2 KB; not shown: the conversation is longer than fits`) {
		t.Errorf("two pictures in no room: %s %s", got, two[0].Text())
	}
}
