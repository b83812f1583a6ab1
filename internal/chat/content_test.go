package chat

import (
	"encoding/json"
	"testing"
)

func TestParseRelations(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		content string
		want    Relations
	}{
		"none":     {`{"body":"x"}`, Relations{}},
		"not JSON": {`{`, Relations{}},
		"null":     {`null`, Relations{}},
		"thread": {`{"m.relates_to":{"rel_type":"m.thread","event_id":"$r","is_falling_back":true,"m.in_reply_to":{"event_id":"$p"}}}`,
			Relations{ThreadRoot: "$r", InReplyTo: "$p", Fallback: true}},
		"answer in a thread": {`{"m.relates_to":{"rel_type":"m.thread","event_id":"$r","m.in_reply_to":{"event_id":"$p"}}}`, Relations{ThreadRoot: "$r", InReplyTo: "$p"}},
		"answer":             {`{"m.relates_to":{"m.in_reply_to":{"event_id":"$p"}}}`, Relations{InReplyTo: "$p"}},
		"edit":               {`{"m.relates_to":{"rel_type":"m.replace","event_id":"$o"}}`, Relations{Replaces: "$o"}},
		"reaction":           {`{"m.relates_to":{"rel_type":"m.annotation","event_id":"$o","key":"✅"}}`, Relations{ReactsTo: "$o", ReactionKey: "✅"}},
		"unknown relation":   {`{"m.relates_to":{"rel_type":"m.reference","event_id":"$o"}}`, Relations{}},
		"wrong types":        {`{"m.relates_to":{"rel_type":"m.thread","event_id":7,"m.in_reply_to":"$p"}}`, Relations{}},
		"wrong case":         {`{"M.Relates_To":{"rel_type":"m.replace","event_id":"$o"}}`, Relations{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := ParseRelations(json.RawMessage(c.content)); got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

func TestNewContent(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`{"body":"* y","m.new_content":{"body":"y"}}`: "y",
		`{"body":"y","m.new_content":"z"}`:            "y",
		`{"body":7}`:                                  "",
	} {
		if got := Body(NewContent(json.RawMessage(in))); got != want {
			t.Errorf("%s: %q", in, got)
		}
	}
}

// Whatever strangers send, the parsers neither panic nor find what is not there.
func FuzzContent(f *testing.F) {
	f.Add([]byte(`{"m.relates_to":{"rel_type":"m.thread","event_id":"$r"},"m.new_content":{"body":"x"}}`))
	f.Add([]byte(`[`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		r := ParseRelations(raw)
		Body(NewContent(raw))
		if !json.Valid(raw) && r != (Relations{}) {
			t.Fatalf("relations %+v in what is not JSON: %q", r, raw)
		}
	})
}
