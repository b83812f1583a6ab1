package dispatch

import "testing"

// A file's name is no word of its sender's: it commands nothing and mentions
// nobody; its caption does.
func TestParseFile(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		content, body string
		mentions      int
		command       bool
	}{
		"a name":            {`{"msgtype":"m.image","body":"@watcher !help.png","formatted_body":"<a href=\"https://matrix.to/#/@mindroom_watcher:x\">x</a>","url":"mxc://x/y"}`, "", 0, false},
		"a name that looks": {`{"msgtype":"m.file","body":"!help","url":"mxc://x/y"}`, "", 0, false},
		"a caption":         {`{"msgtype":"m.file","body":"@watcher look","filename":"a.png","file":{"url":"mxc://x/y"}}`, "@watcher look", 1, false},
		"a command":         {`{"msgtype":"m.file","body":"!help","filename":"a.png","url":"mxc://x/y"}`, "!help", 0, true},
	} {
		got := ParseContent([]byte(c.content))
		_, command := got.Command()
		if mentions := Mentions(got, ours); !got.File || got.Body != c.body || len(mentions) != c.mentions || command != c.command {
			t.Errorf("%s: %+v mentions %v, command %v", name, got, mentions, command)
		}
	}
	for _, plain := range []string{`{"msgtype":"m.text","body":"x","url":"mxc://x/y"}`, `{"msgtype":"m.image","body":"x"}`} {
		if got := ParseContent([]byte(plain)); got.File || got.Body != "x" {
			t.Errorf("%s: %+v", plain, got)
		}
	}
}
