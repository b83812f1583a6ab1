package message

import (
	"strings"
	"testing"
)

// A tail is whole whatever becomes of the body, in both forms of the text.
func TestTail(t *testing.T) {
	t.Parallel()
	const tail = "Which one?\n\n1. a\n2. b"
	long := strings.Repeat("word ", MaxContent/4)
	cases := map[string]struct {
		body string
		cut  bool
	}{
		"short":                 {"Some *words*.", false},
		"nothing else":          {"", false},
		"cut":                   {"# Title\n\n" + long, true},
		"cut without markup":    {long, true},
		"cut in a code block":   {"```\n" + long, true},
		"cut, one line, no end": {strings.Repeat("x", 2*MaxContent), true},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			content := Text(c.body, Tail(tail))
			body, html := content["body"].(string), content["formatted_body"].(string)
			if !strings.HasSuffix(body, tail) || !strings.HasSuffix(html, "<p>Which one?</p>\n<ol>\n<li>a</li>\n<li>b</li>\n</ol>") {
				t.Errorf("it ends with %q and %q", body[max(0, len(body)-80):], html[max(0, len(html)-80):])
			}
			if cut := content[KeyCut] != nil; cut != c.cut || content.Size() > MaxContent || c.body == "" && body != tail {
				t.Errorf("cut %v, %d bytes, %.40q", cut, content.Size(), body)
			}
			start := strings.TrimLeft(c.body, "#`\n ")
			if start = start[:min(len(start), 4)]; !strings.Contains(html[:min(len(html), 60)], start) {
				t.Errorf("the shown text begins with %.60q and not with %q", html, start)
			}
		})
	}
	// A long text without markup is shown in full, and not only its note.
	if html := Text(long)["formatted_body"].(string); !strings.HasPrefix(html, "<p>word word") {
		t.Errorf("it is shown as %.80q", html)
	}
	// What a tail mentions, it mentions.
	content := Text(long, Tail("Ask @helper."), Names(func(string) (string, bool) { return "@helper:x", true }))
	if users := content["m.mentions"].(map[string]any)["user_ids"].([]string); len(users) != 1 {
		t.Errorf("it mentions %v", users)
	}
	if content := Text("a", Tail("b\x00c")); content["body"] != "a\n\nb\uFFFDc" {
		t.Errorf("what cannot be stored reads %q", content["body"])
	}
	if content := Text("a", Tail("b.c")); content["body"] != "a\n\nb.c" {
		t.Errorf("plain text reads %v", content["body"])
	}
}
