package console

import (
	"testing"

	"mindroom/internal/person"
)

// A terminal shows no file, but which one there is.
func TestWords(t *testing.T) {
	t.Parallel()
	for want, content := range map[string]map[string]any{
		"hello":                             {"msgtype": "m.text", "body": "hello"},
		"[file answer.md, 118 KB]":          {"msgtype": "m.file", "body": "answer.md", "url": "mxc://x/y", "info": map[string]any{"size": 120_000}},
		"[image dot.png, 1 KB]\nwhat is it": {"msgtype": "m.image", "body": "what is it", "filename": "dot.png", "file": map[string]any{"url": "mxc://x/y"}, "info": map[string]any{"size": 90}},
		"[audio a.ogg]":                     {"msgtype": "m.audio", "body": "a.ogg", "url": "mxc://x/y"},
	} {
		e := said("$1", ann, "", "", "")
		e.Content = content
		if got := words(e); got != want {
			t.Errorf("%v reads %q, want %q", content, got, want)
		}
		b := newBook()
		if known, what := b.take(e); known == nil || known.Body != want || what != finished {
			t.Errorf("%v is taken as %+v", content, known)
		}
	}
	if got := words(person.Event{}); got != "" {
		t.Errorf("nothing reads %q", got)
	}
}
