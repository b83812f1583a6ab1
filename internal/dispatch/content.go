package dispatch

import (
	"encoding/json"

	"mindroom/internal/chat"
	"mindroom/internal/message"
)

// Content is what a decision reads of a message's content. Every field that is
// missing or of another type than Matrix says reads as its zero value: anybody
// in a room can send anything, and none of it may stop the pump.
type Content struct {
	MsgType       string
	Body          string
	FormattedBody string
	// File is true for a message that carries a file. Body is then what is said
	// about it, which may be nothing, and not its name.
	File bool
	// ThreadRoot is the root of the thread the message names; empty for none.
	ThreadRoot string
	// ReplyTo is the event it replies to outside a thread; empty for none.
	ReplyTo string
	// Edit is true for a replacement of an earlier message.
	Edit bool
	// MentionIDs are m.mentions.user_ids.
	MentionIDs   []string
	SkipMentions bool
	// OriginalSender, SourceKind and Depth are the relay's metadata as claimed.
	OriginalSender string
	SourceKind     message.Source
	Depth          int
	// Program: it claims to be the program's own word, as the answer to a command.
	Program bool
}

// ParseContent reads a message's content and never fails.
func ParseContent(raw []byte) Content {
	var top map[string]json.RawMessage
	if json.Unmarshal(raw, &top) != nil {
		return Content{}
	}
	c := Content{
		MsgType: field[string](top, "msgtype"), Body: field[string](top, "body"), FormattedBody: field[string](top, "formatted_body"),
		MentionIDs:   field[[]string](field[map[string]json.RawMessage](top, "m.mentions"), "user_ids"),
		SkipMentions: field[bool](top, message.KeySkipMentions), OriginalSender: field[string](top, message.KeyOriginalSender),
		SourceKind: message.Source(field[string](top, message.KeySourceKind)), Depth: field[int](top, message.KeyDepth),
		Program: field[string](top, message.KeyProgram) != "",
	}
	if f, ok := chat.ParseFile(raw); ok {
		c.File, c.Body = true, f.Caption
		if f.Caption == "" {
			c.FormattedBody = ""
		}
	}
	relation := field[map[string]json.RawMessage](top, "m.relates_to")
	switch field[string](relation, "rel_type") {
	case "m.thread":
		c.ThreadRoot = field[string](relation, "event_id")
	case "m.replace":
		c.Edit = true
	default:
		c.ReplyTo = field[string](field[map[string]json.RawMessage](relation, "m.in_reply_to"), "event_id")
	}
	return c
}

// field is the value of one member, or its zero value when it is missing or of
// another type. A list holds only the elements of the right type.
func field[T any](object map[string]json.RawMessage, name string) T {
	var v T
	raw, ok := object[name]
	if !ok {
		return v
	}
	if json.Unmarshal(raw, &v) != nil {
		var zero T
		return zero
	}
	return v
}

// Said is the body without what it quotes: it is what the sender says in their
// own words.
func (c Content) Said() string { return chat.Said(c.Body) }

// Command is what the message says to the program itself; see chat.Command.
func (c Content) Command() (text string, ok bool) { return chat.Command(c.Body) }

// Spoken reports whether the message says that it is the transcript of a voice
// message. Believing it can only refuse something.
func (c Content) Spoken() bool { return c.SourceKind == message.SourceVoice || chat.Spoken(c.Body) }
