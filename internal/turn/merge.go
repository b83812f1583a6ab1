package turn

import (
	"encoding/json"
	"regexp"
	"strings"
	"time"

	"mindroom/internal/chat"
	"mindroom/internal/message"
	"mindroom/internal/prompt"
)

// merge puts the conversation before a turn together: what the room shows, with
// the agent's answers as its own turns know them. trigger is nil when the
// message to answer is not there. self is the agent's Matrix id.
func merge(messages []chat.Message, answers []answered, whole long, turn row, self string) (history []prompt.Entry, trigger *prompt.Entry) {
	mine := map[string]answered{}
	for _, a := range answers {
		mine[firstDelivery(a.turn)] = a
	}
	shown, asked := map[string]bool{}, map[string]bool{}
	for _, m := range messages {
		if m.EventID != turn.trigger && aside(m, self) {
			continue
		}
		if whole.files[m.EventID] {
			continue // its message says the same
		}
		entry, delivery, done := read(m, self)
		if text, ok := whole.texts[m.EventID]; ok {
			entry.Text = strings.TrimSpace(marker.ReplaceAllString(text, ""))
		}
		asked[m.EventID] = true
		if m.EventID == turn.trigger {
			trigger = &entry
			continue
		}
		if !entry.Own && trigger != nil {
			continue // what others wrote later has a turn of its own
		}
		if f, ok := chat.ParseFile(m.Content); ok {
			entry.Text = f.Caption // its name is no word of the sender's
		}
		if a, ok := mine[delivery]; ok && entry.Own {
			shown[a.turn], done = true, true
			entry.Text, entry.Interrupted, entry.Calls = a.text, a.interrupted, a.calls
		}
		if done {
			history = append(history, entry)
		}
	}
	for _, a := range answers {
		// The room has not shown it yet: only the newest can be so.
		if a.unseen && !shown[a.turn] && asked[a.trigger] {
			history = append(history, prompt.Entry{Sender: self, At: a.at, Own: true, Text: a.text, Interrupted: a.interrupted, Calls: a.calls})
		}
	}
	return history, trigger
}

// aside reports whether a message is between a person and the program itself: a
// command or what the program says. A model would take either for a part of its
// own conversation. Whoever claims it falsely hides a message of their own.
func aside(m chat.Message, self string) bool {
	var content map[string]json.RawMessage
	if json.Unmarshal(m.Content, &content) != nil {
		return false
	}
	// The body of a file is its name.
	_, command := chat.Command(chat.Body(m.Content))
	return content[message.KeyProgram] != nil || command && m.Sender != self && string(content["msgtype"]) == `"m.text"`
}

// marker is the line of one call in an answer.
var marker = regexp.MustCompile("(?m)^🔧 `[^`\n]*` \\[[0-9]+\\](?: ⏳)?$\n?")

// read reads one message of the room. whole is false for an answer that is
// still being written. What a message says of itself is believed only of the
// agent's own.
func read(m chat.Message, self string) (entry prompt.Entry, delivery string, whole bool) {
	entry = prompt.Entry{EventID: m.EventID, Sender: m.Sender, At: time.UnixMilli(m.OriginTS), Text: chat.Body(m.Content), Own: m.Sender == self}
	var content map[string]json.RawMessage
	if json.Unmarshal(m.Content, &content) != nil {
		return entry, "", true
	}
	// Field by field: a value of the wrong type spoils only itself.
	text := func(key string) (s string) {
		if json.Unmarshal(content[key], &s) != nil {
			return ""
		}
		return s
	}
	status := message.Status(text(message.KeyStreamStatus))
	if status != "" && !status.Terminal() {
		return entry, text(message.KeyDelivery), false
	}
	if !entry.Own {
		return entry, "", true
	}
	if visible := text(message.KeyVisibleBody); visible != "" {
		entry.Text = visible
	} else {
		entry.Text = strings.TrimSpace(marker.ReplaceAllString(entry.Text, ""))
	}
	entry.Interrupted = status != "" && status != message.StatusCompleted
	return entry, text(message.KeyDelivery), true
}
