package interactive

import (
	"fmt"
	"strconv"
	"strings"

	"mindroom/internal/message"
)

// MaxMetadata bounds what a message says of its question to programs, in bytes
// of JSON (spec/runtime.md 3.15). The ids in it have a part of that.
const MaxMetadata = 8000

// idBytes is what is left for the agent's name and the event's id.
const idBytes = 1000

const (
	hint   = "React with one of the emojis, or type its number."
	closed = "This question is closed."
)

// Open is the question as people are asked it.
func (q Question) Open() string { return q.listed() + "\n\n" + hint }

// Closed is the question as people read it when no choice can be made.
func (q Question) Closed() string { return q.listed() + "\n\n" + closed }

// Answered is the question with its choice; n counts from 0.
func (q Question) Answered(n int) string { return q.Text + "\n\n✓ " + q.Options[n].shown() }

// listed is the question and its options, a line each.
func (q Question) listed() string {
	var b strings.Builder
	b.WriteString(q.Text + "\n")
	for i, o := range q.Options {
		fmt.Fprintf(&b, "\n%d. %s", i+1, o.shown())
	}
	return b.String()
}

func (o Option) shown() string { return o.Emoji + " " + o.Label }

// Metadata is what the message of a question says of it to programs, under
// message.KeyInteractive: at most MaxMetadata bytes. source is the event that the
// answer replies to.
func (q Question) Metadata(agent, source string) map[string]any {
	values, labels := map[string]string{}, map[string]string{}
	for _, o := range q.Options {
		values[o.Emoji], labels[o.Emoji] = o.Value, o.Label
	}
	return map[string]any{
		"creator_agent": agent, "question_text": q.Text, "options": values, "option_labels": labels, "source_event_id": source,
	}
}

// size is what the metadata takes with ids of any usual length.
func (q Question) size() int { return message.Content(q.Metadata("", "")).Size() + idBytes }

// reacted is the option whose emoji a reaction's key is; false for none.
func (q Question) reacted(key string) (n int, ok bool) {
	for i, o := range q.Options {
		if plain(o.Emoji) == plain(key) {
			return i, true
		}
	}
	return 0, false
}

// typed is the option whose number a text is, and nothing else; false for none.
func (q Question) typed(text string) (n int, ok bool) {
	n, ok = number(text)
	return n, ok && n < len(q.Options)
}

// number reads a text that is one digit from 1 to MaxOptions; n counts from 0.
func number(text string) (n int, ok bool) {
	text = strings.TrimSpace(text)
	n, err := strconv.Atoi(text)
	return n - 1, err == nil && len(text) == 1 && n >= 1 && n <= MaxOptions
}

// Choice is what was chosen, as a model reads it.
type Choice struct {
	// Question is what was asked.
	Question string
	Option
}

// Said is the message that a choice stands for: what was asked, the option's
// label and its value.
func (c Choice) Said() string {
	return fmt.Sprintf("My choice for your question %q: %s (value: %s)", line(c.Question), c.shown(), c.Value)
}
