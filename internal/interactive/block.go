package interactive

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"

	"mindroom/internal/message"
)

// Tag is the info string of the fenced block that asks a question.
const Tag = "interactive"

// Bounds of a question. What is longer is not well formed.
const (
	// MaxOptions is the most options.
	MaxOptions = 5
	// maxEmoji is the longest emoji in bytes: a family of five with skin tones fits.
	maxEmoji = 64
	// maxShown is the most that the question takes of its message in bytes of JSON: it
	// is never cut, and must leave room for the answer.
	maxShown = 20_000
)

// Question is what an agent asks.
type Question struct {
	// Text is the question, in Markdown.
	Text string `json:"question"`
	// Options are one to MaxOptions, in the order in which they are numbered from 1.
	Options []Option `json:"options"`
}

// Option is one choice. No field is empty and none has a line break.
type Option struct {
	// Emoji is the key of the reaction that chooses it, unlike any other of the question.
	Emoji string `json:"emoji"`
	// Label is what people read, Value what the model reads.
	Label string `json:"label"`
	Value string `json:"value"`
}

// Find takes the question out of a text: the last well-formed block in it. rest
// is the text without that block.
func Find(text string) (rest string, q Question, found bool) {
	blocks := blocks(text)
	for i := len(blocks) - 1; i >= 0; i-- {
		b := blocks[i]
		if q, err := parse(b.body); err == nil {
			return joined(text[:b.start], text[b.end:]), q, true
		}
	}
	return text, Question{}, false
}

// Growing is a text that is still being written as people may see it: without
// its blocks, of which nobody can tell yet whether they will be well formed.
func Growing(text string) string {
	all := blocks(text)
	if len(all) == 0 {
		return text
	}
	shown, at := "", 0
	for _, b := range all {
		shown = joined(shown, text[at:b.start])
		at = b.end
	}
	return joined(shown, text[at:])
}

// Tagged reports whether a text has a block with the tag, well formed or not.
func Tagged(text string) bool { return len(blocks(text)) > 0 }

// joined is what stands around a block.
func joined(before, after string) string {
	before, after = strings.TrimRightFunc(before, unicode.IsSpace), strings.TrimSpace(after)
	if before == "" || after == "" {
		return before + after
	}
	return before + "\n\n" + after
}

// block is a fenced block with the tag: where it stands, and what it holds.
type block struct {
	start, end int
	body       string
}

// blocks finds the tagged blocks of a text as Markdown has them: one that is not
// closed goes to the end, and what looks like one inside another fence is none.
func blocks(text string) []block {
	var all []block
	var fence string // of the block that is open
	var open block
	tagged, inner, at := false, 0, 0
	for line := range strings.Lines(text) {
		mark, info := fenceOf(line)
		switch {
		case fence == "" && mark != "":
			fence, tagged = mark, strings.EqualFold(info, Tag)
			open, inner = block{start: at}, at+len(line)
		case fence != "" && strings.HasPrefix(mark, fence) && info == "":
			if tagged {
				open.end, open.body = at+len(line), text[inner:at]
				all = append(all, open)
			}
			fence = ""
		}
		at += len(line)
	}
	if fence != "" && tagged {
		open.end, open.body = len(text), text[inner:]
		all = append(all, open)
	}
	return all
}

// fenceOf reads a line that opens or closes a fence; mark is empty for any other.
func fenceOf(line string) (mark, info string) {
	line = strings.TrimRight(line, "\r\n")
	indented := strings.TrimLeft(line, " ")
	if len(line)-len(indented) > 3 {
		return "", ""
	}
	for _, char := range []string{"`", "~"} {
		rest := strings.TrimLeft(indented, char)
		if n := len(indented) - len(rest); n >= 3 {
			if char == "`" && strings.Contains(rest, "`") {
				return "", "" // code within a line
			}
			return indented[:n], strings.TrimSpace(rest)
		}
	}
	return "", ""
}

// parse reads the JSON of a block.
func parse(body string) (Question, error) {
	var raw struct {
		Question string `json:"question"`
		Options  []struct {
			Emoji string          `json:"emoji"`
			Label string          `json:"label"`
			Value json.RawMessage `json:"value"`
		} `json:"options"`
	}
	d := json.NewDecoder(strings.NewReader(strings.ToValidUTF8(body, "\uFFFD")))
	if err := d.Decode(&raw); err != nil {
		return Question{}, fmt.Errorf("the block is no question: %w", err)
	}
	if d.More() {
		return Question{}, fmt.Errorf("the block holds more than one JSON value")
	}
	q := Question{Text: strings.TrimSpace(message.Storable(raw.Question))}
	for i, o := range raw.Options {
		option := Option{Emoji: strings.TrimSpace(o.Emoji), Label: line(o.Label)}
		if option.Emoji == "" {
			option.Emoji = keycap(i + 1)
		}
		var err error
		if option.Value, err = value(o.Value); err != nil {
			return Question{}, fmt.Errorf("option %d: %w", i+1, err)
		}
		if option.Value == "" {
			option.Value = option.Label
		}
		q.Options = append(q.Options, option)
	}
	return q, q.check()
}

// value is a string, or the number or truth that a model wrote instead of one.
func value(raw json.RawMessage) (string, error) {
	raw = bytes.TrimSpace(raw)
	var v any
	if len(raw) == 0 {
		return "", nil
	}
	if err := json.Unmarshal(raw, &v); err != nil {
		return "", err
	}
	switch v := v.(type) {
	case nil:
		return "", nil
	case string:
		return line(v), nil
	case float64, bool:
		return string(raw), nil
	}
	return "", fmt.Errorf("the value is neither text nor a number")
}

// check says why a question is not well formed.
func (q Question) check() error {
	switch {
	case q.Text == "":
		return fmt.Errorf("the question is empty")
	case len(q.Options) == 0 || len(q.Options) > MaxOptions:
		return fmt.Errorf("there are %d options; 1 to %d are possible", len(q.Options), MaxOptions)
	}
	seen := map[string]bool{}
	for i, o := range q.Options {
		switch key := plain(o.Emoji); {
		case o.Label == "":
			return fmt.Errorf("option %d has no label", i+1)
		case key == "" || len(o.Emoji) > maxEmoji || strings.ContainsFunc(key, breaks):
			return fmt.Errorf("%q is no emoji", o.Emoji)
		case seen[key]:
			return fmt.Errorf("two options have the emoji %s", o.Emoji)
		default:
			seen[key] = true
		}
	}
	if n := q.size(); n > MaxMetadata {
		return fmt.Errorf("the question takes %d bytes; %d are possible", n, MaxMetadata)
	}
	if n := message.Text("", message.Tail(q.Open())).Size(); n > maxShown {
		return fmt.Errorf("the question takes %d bytes of its message; %d are possible", n, maxShown)
	}
	return nil
}

func breaks(r rune) bool {
	return unicode.IsSpace(r) || unicode.IsControl(r) || r == unicode.ReplacementChar
}

// line is a text as one line.
func line(s string) string { return strings.Join(strings.Fields(message.Storable(s)), " ") }

// keycap is the emoji of a digit.
func keycap(n int) string { return fmt.Sprintf("%d\ufe0f\u20e3", n) }

// plain is an emoji without the marks that ask for colour, which clients send or
// leave out.
func plain(emoji string) string { return strings.ReplaceAll(strings.TrimSpace(emoji), "\ufe0f", "") }
