package prompt

import (
	"unicode/utf8"

	"mindroom/internal/model"
)

// Limits bound the conversation.
type Limits struct {
	// Characters is the most characters of all messages together; 0 or less
	// keeps only the message to answer.
	Characters int
	// Entries is the most earlier entries; 0 or less means no such limit.
	Entries int
}

// shortest is how much of the message to answer stays, however little room
// there is.
const shortest = 2000

// earlier stands in for what comes before the first kept message, where the
// conversation would otherwise begin with the agent itself.
const earlier = "(Earlier messages are not shown.)"

// cutNote ends a message to answer that was too long.
const cutNote = "\n[The rest of this message was cut: it is longer than fits.]"

// entryNote ends an earlier message of which only the beginning fits.
const entryNote = "\n[The rest of this message is not shown: the conversation is longer than fits.]"

// Messages writes the conversation: history from oldest to newest, then the
// message to answer. Empty entries of history are left out.
func Messages(history []Entry, trigger Entry, limits Limits) []model.Message {
	trigger.Own = false
	trigger.Text = cut(Unquoted(trigger.Text), max(limits.Characters, shortest))
	// One picture to be answered is always shown.
	trigger.Files = fitting(trigger.Files, max(limits.Characters, pictureCharacters))
	last, files := trigger.withQueued(max(limits.Characters, pictureCharacters))
	room := limits.Characters - utf8.RuneCountInString(last) - weight(files)

	var kept []Entry
	var texts []string
	var shown [][]File
	for i := len(history) - 1; i >= 0; i-- {
		e := history[i]
		if Unquoted(e.Text) == "" && e.Calls == "" && len(e.Files) == 0 {
			continue
		}
		if limits.Entries > 0 && len(kept) == limits.Entries {
			break
		}
		text := e.said()
		left := room - utf8.RuneCountInString(text) - weight(e.Files)
		if left < 0 {
			// Half a long answer tells more than none: it is what is asked about.
			if part, ok := beginning(e, room); ok {
				kept, texts, shown = append(kept, e), append(texts, part), append(shown, nil)
			}
			break
		}
		room = left
		kept, texts, shown = append(kept, e), append(texts, text), append(shown, e.Files)
	}

	var out []model.Message
	add := func(role model.Role, text string, files []File) {
		if n := len(out); n == 0 || out[n-1].Role != role {
			out = append(out, model.Message{Role: role})
		}
		m := &out[len(out)-1]
		if n := len(m.Parts); n > 0 && m.Parts[n-1].Kind == model.PartText {
			m.Parts[n-1].Text += "\n\n" + text
		} else {
			m.Parts = append(m.Parts, model.TextPart(text))
		}
		m.Parts = append(m.Parts, parts(files)...)
	}
	for i := len(kept) - 1; i >= 0; i-- {
		role := model.RoleUser
		if kept[i].Own {
			role = model.RoleAssistant
		}
		if len(out) == 0 && role == model.RoleAssistant {
			add(model.RoleUser, earlier, nil)
		}
		add(role, texts[i], shown[i])
	}
	add(model.RoleUser, last, files)
	return out
}

// beginning is what fits of an entry into room characters, with a note; false
// when that is too little to be of use.
func beginning(e Entry, room int) (string, bool) {
	if room < shortest {
		return "", false
	}
	e.Files = fitting(e.Files, 0)
	whole := Unquoted(e.Text)
	// What stands around the text takes room as well, and so does what is escaped.
	for n := room; n > 0; {
		e.Text = head(whole, n) + entryNote
		said := e.said()
		over := utf8.RuneCountInString(said) - room
		if over <= 0 {
			return said, true
		}
		n -= over
	}
	return "", false
}

// cut keeps the first n characters of s and says so.
func cut(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return head(s, n) + cutNote
}

// head is the first n characters of s.
func head(s string, n int) string {
	runes := []rune(s)
	return string(runes[:max(min(n, len(runes)), 0)])
}
