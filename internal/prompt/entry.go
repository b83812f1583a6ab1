package prompt

import (
	"regexp"
	"strings"
	"time"
)

// Entry is one message of the conversation as the room shows it.
type Entry struct {
	// EventID and Sender are Matrix ids.
	EventID, Sender string
	// At is when it was sent.
	At time.Time
	// Text is the body in the sender's words; the quoted fallback of a reply is
	// removed here.
	Text string
	// Files are what the message carries.
	Files []File
	// Queued are messages of the same sender that came just before and are answered
	// with this one; read of the message to answer alone.
	Queued []Entry
	// Own is true for the agent's own messages.
	Own bool
	// Interrupted marks an own answer that did not come to its end.
	Interrupted bool
	// Calls tells what an interrupted answer had called, for the model alone;
	// empty otherwise.
	Calls string
}

// interruptedMark tells the model that an answer of its own is not whole.
const interruptedMark = "[This answer was interrupted before its end.]"

var inElement = strings.NewReplacer("&", "&amp;", "\"", "&quot;", "<", "&lt;", ">", "&gt;", "\n", " ")

// msgTag finds whatever could open or close a message element.
var msgTag = regexp.MustCompile(`(?i)<(/?\s*msg\b)`)

// said writes an entry as the model reads it.
func (e Entry) said() string {
	text := Unquoted(e.Text)
	if e.Own {
		if e.Interrupted {
			text = strings.TrimSpace(text + "\n\n" + interruptedMark)
		}
		return strings.TrimSpace(strings.TrimSpace(text+e.listed()) + "\n\n" + e.Calls)
	}
	var b strings.Builder
	b.WriteString(`<msg from="` + inElement.Replace(e.Sender) + `" ts="` + e.At.UTC().Format("2006-01-02T15:04:05Z") + `"`)
	if e.EventID != "" {
		b.WriteString(` event_id="` + inElement.Replace(e.EventID) + `"`)
	}
	b.WriteString(">" + msgTag.ReplaceAllString(strings.TrimSpace(text+e.listed()), "&lt;$1") + "</msg>")
	return b.String()
}

// Unquoted is a body without the fallback of a reply: the leading "> <@user>"
// lines that older clients put before what was really said.
func Unquoted(body string) string {
	if !strings.HasPrefix(body, "> <") && !strings.HasPrefix(body, "> * <") {
		return strings.TrimSpace(body)
	}
	for strings.HasPrefix(body, ">") {
		_, rest, found := strings.Cut(body, "\n")
		if !found {
			return ""
		}
		body = rest
	}
	return strings.TrimSpace(body)
}
