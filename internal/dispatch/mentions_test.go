package dispatch

import (
	"encoding/json"
	"slices"
	"testing"
)

func TestMentions(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		content string
		want    []string
	}{
		"user_ids":                 {`{"body":"@helper","m.mentions":{"user_ids":["@b:x","@a:x","@b:x"]}}`, []string{"@a:x", "@b:x"}},
		"of mixed types":           {`{"body":"x","m.mentions":{"user_ids":["@a:x",7]}}`, nil},
		"empty m.mentions":         {`{"body":"@watcher go","m.mentions":{}}`, []string{watcher}},
		"a pill":                   {`{"body":"W go","formatted_body":"<a href=\"https://matrix.to/#/@mindroom_watcher:x\">W</a>"}`, []string{watcher}},
		"an escaped pill":          {`{"formatted_body":"<a href='https://matrix.to/#/%40a%3Ax'>A</a>"}`, []string{"@a:x"}},
		"a pill of a room":         {`{"body":"hi","formatted_body":"<a href=\"https://matrix.to/#/!r:x\">r</a>"}`, nil},
		"a quoted pill":            {`{"body":"hi","formatted_body":"<mx-reply><a href=\"https://matrix.to/#/@a:x\">A</a></mx-reply>hi"}`, nil},
		"a name":                   {`{"body":"please @WATCHER, look"}`, []string{watcher}},
		"a name and a full stop":   {`{"body":"ask @watcher."}`, []string{watcher}},
		"a name and a colon":       {`{"body":"@watcher: look"}`, []string{watcher}},
		"part of a longer name":    {`{"body":"@watchers look"}`, nil},
		"a local part":             {`{"body":"@mindroom_watcher look"}`, nil},
		"a full id":                {`{"body":"@mindroom_watcher:x look"}`, []string{watcher}},
		"a person of that name":    {`{"body":"@watcher:elsewhere.org look"}`, []string{"@watcher:elsewhere.org"}},
		"a mail address":           {`{"body":"write to me@watcher or a.b@watcher:x"}`, nil},
		"fenced code":              {"{\"body\":\"see\\n```\\n@watcher\\n```\"}", nil},
		"code that never ends":     {"{\"body\":\"~~~\\n@watcher\"}", nil},
		"the fallback of a reply":  {`{"body":"> <@a:x> @watcher do\n\nno"}`, nil},
		"skip_mentions":            {`{"body":"@watcher","com.mindroom.skip_mentions":true}`, nil},
		"nobody":                   {`{"body":"hello"}`, nil},
		"a body of the wrong type": {`{"body":["@watcher"]}`, nil},
		"no object":                {`[]`, nil},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := Mentions(ParseContent([]byte(c.content)), ours); !slices.Equal(got, c.want) {
				t.Errorf("%s mentions %v, want %v", c.content, got, c.want)
			}
		})
	}
}

func TestParseContent(t *testing.T) {
	t.Parallel()
	c := ParseContent([]byte(`{"msgtype":"m.text","body":"b","m.relates_to":{"rel_type":"m.thread","event_id":"$r","m.in_reply_to":{"event_id":"$p"}},
		"com.mindroom.original_sender":"@a:x","com.mindroom.source_kind":"trusted_internal_relay","com.mindroom.message_received_depth":4}`))
	if c.ThreadRoot != "$r" || c.ReplyTo != "" || c.OriginalSender != "@a:x" || c.Depth != 4 || c.Edit {
		t.Errorf("read %+v", c)
	}
	c = ParseContent([]byte(`{"m.relates_to":{"m.in_reply_to":{"event_id":"$p"}},"com.mindroom.message_received_depth":"4","msgtype":null}`))
	if c.ThreadRoot != "" || c.ReplyTo != "$p" || c.Depth != 0 || c.MsgType != "" {
		t.Errorf("read %+v", c)
	}
	if c = ParseContent([]byte(`{"m.relates_to":{"rel_type":"m.replace","event_id":"$p"}}`)); !c.Edit {
		t.Errorf("an edit reads as %+v", c)
	}
}

func FuzzMentions(f *testing.F) {
	f.Add("@watcher: go", "<a href=\"https://matrix.to/#/%40a%3Ax\">", "@b:x")
	f.Add("> <@a:x> hi\n```\n@watcher", "<mx-reply>", "")
	f.Fuzz(func(t *testing.T, body, html, id string) {
		raw, err := json.Marshal(map[string]any{"body": body, "formatted_body": html, "m.mentions": map[string]any{"user_ids": []string{id}}})
		if err != nil {
			t.Fatal(err)
		}
		with := Mentions(ParseContent(raw), ours)
		if len(with) != 1 {
			t.Fatalf("m.mentions names one, got %v", with)
		}
		for _, m := range Mentions(Content{Body: body, FormattedBody: html}, ours) {
			if !isUserID(m) {
				t.Fatalf("%q mentions %q, which is nobody", body, m)
			}
		}
		ParseContent([]byte(body))
	})
}
