package matrix

import (
	"encoding/json"
	"testing"

	"mindroom/internal/chat"
)

func TestWire(t *testing.T) {
	t.Parallel()
	row := func(kind chat.Kind, content string, target chat.Target) chat.Delivery {
		return chat.Delivery{ID: "d", Conversation: chat.Conversation{Room: "!r:x"}, Kind: kind, Type: "m.room.message",
			Content: json.RawMessage(content), Target: target, TxnID: "txn"}
	}
	threaded := row(chat.KindMessage, `{"body":"x"}`, chat.Target{})
	threaded.ThreadRoot = "$root"
	event := chat.Target{Event: "$t"}
	const inThread = `{"body":"x","m.relates_to":{"event_id":"$root","is_falling_back":true,"m.in_reply_to":{"event_id":"$root"},"rel_type":"m.thread"}}`
	for _, c := range []struct {
		name string
		d    chat.Delivery
		want string // content as sent; empty: refused
	}{
		{"message", row(chat.KindMessage, `{"body":"x"}`, chat.Target{}), `{"body":"x"}`},
		{"in a thread", threaded, inThread},
		{"in the thread of a delivery", row(chat.KindMessage, `{"body":"x"}`, chat.Target{Delivery: "other", Event: "$root"}), inThread},
		{"edit", row(chat.KindEdit, `{"body":"x","msgtype":"m.text"}`, event),
			`{"body":"* x","m.mentions":{},"m.new_content":{"body":"x","msgtype":"m.text"},"m.relates_to":{"event_id":"$t","rel_type":"m.replace"},"msgtype":"m.text"}`},
		{"reaction", row(chat.KindReaction, `{"m.relates_to":{"key":"👍"}}`, event), `{"m.relates_to":{"event_id":"$t","key":"👍","rel_type":"m.annotation"}}`},
		{"redaction", row(chat.KindRedaction, `{"reason":"r"}`, event), `{"reason":"r"}`},
		{"edit of nothing", row(chat.KindEdit, `{"body":"x"}`, chat.Target{Delivery: "unsent"}), ""},
		{"no object", row(chat.KindMessage, `[1]`, chat.Target{}), ""},
		{"null", row(chat.KindMessage, `null`, chat.Target{}), ""},
		{"unknown kind", row("typing", `{}`, event), ""},
	} {
		o, err := wire(c.d)
		if c.want == "" {
			if KindOf(err) != KindRefused {
				t.Errorf("%s: %v, want a refusal", c.name, err)
			}
			continue
		}
		if err != nil || string(o.content) != c.want || o.txn != "txn" || (o.redacts == "$t") != (c.d.Kind == chat.KindRedaction) {
			t.Errorf("%s: %s %+v %v", c.name, o.content, o, err)
		}
	}
}

// What comes back from the outbox may be anything that was JSON; it is sent or
// refused, never a crash.
func FuzzWire(f *testing.F) {
	for _, s := range []string{`{}`, `{"m.relates_to":7}`, `{"body":{"a":1},"formatted_body":[]}`, `{"m.relates_to":{"rel_type":null,"m.in_reply_to":"$x"}}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, content string) {
		for _, kind := range []chat.Kind{chat.KindMessage, chat.KindEdit, chat.KindReaction, chat.KindRedaction} {
			o, err := wire(chat.Delivery{ID: "d", Kind: kind, Type: "t", Content: json.RawMessage(content),
				Conversation: chat.Conversation{Room: "!r:x", ThreadRoot: "$root"}, Target: chat.Target{Event: "$t"}})
			if err == nil && !json.Valid(o.content) {
				t.Fatalf("%s of %q: %q", kind, content, o.content)
			}
		}
	})
}
