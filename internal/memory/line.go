package memory

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// MaxText is the longest memory in bytes: it is one line of a file that a model
// reads many of.
const MaxText = 4000

// Entry is one memory.
type Entry struct {
	// ID is "m_<UTC yyyymmddhhmmss>_<8 hex>", or, for a line that somebody wrote
	// without one, "file:<path>:<line>" (spec/runtime.md 6.5).
	ID   string
	Text string // one line
	// File is relative to the workspace, with slashes; Line counts from 1.
	File string
	Line int
}

var (
	structured = regexp.MustCompile(`^- \[id=(m_[0-9]{14}_[0-9a-f]{8})\][ \t]+(\S.*)$`)
	// shown is how an entry is told to a model, which then likes to write it back.
	shown = regexp.MustCompile(`^\[id=[^\]\s]*\]\s*`)
)

// newID is an id that no other memory has.
func newID(now time.Time) string {
	var random [4]byte
	_, _ = rand.Read(random[:]) // never fails
	return "m_" + now.UTC().Format("20060102150405") + "_" + hex.EncodeToString(random[:])
}

// written is an entry as a line of its file.
func (e Entry) written() string {
	if strings.HasPrefix(e.ID, "m_") {
		return "- [id=" + e.ID + "] " + e.Text
	}
	return "- " + e.Text
}

// parseLine reads line number n of a file; false when it holds no memory. Lines
// without an id count only where loose says so; headings and rules never do.
func parseLine(file string, n int, line string, loose bool) (Entry, bool) {
	line = strings.TrimSpace(line)
	if m := structured.FindStringSubmatch(line); m != nil {
		return Entry{ID: m[1], Text: m[2], File: file, Line: n}, true
	}
	if !loose || strings.HasPrefix(line, "#") {
		return Entry{}, false
	}
	for _, marker := range []string{"- ", "* "} {
		if text, ok := strings.CutPrefix(line, marker); ok {
			line = strings.TrimSpace(text)
			break
		}
	}
	if !strings.ContainsFunc(line, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
		return Entry{}, false
	}
	return Entry{ID: fmt.Sprintf("file:%s:%d", file, n), Text: line, File: file, Line: n}, true
}

// clean makes a text one line. It takes away the id that a model copied before
// it, so that no text poses as another memory.
func clean(text string) (string, error) {
	if !utf8.ValidString(text) {
		return "", failf(Unusable, "the text is not UTF-8")
	}
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && !unicode.IsSpace(r) {
			return -1
		}
		return r
	}, text)
	text = strings.Join(strings.Fields(text), " ")
	for {
		rest := shown.ReplaceAllString(text, "")
		if rest == text {
			break
		}
		text = rest
	}
	switch {
	case !strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }):
		return "", failf(Unusable, "there is nothing to remember in the text")
	case len(text) > MaxText:
		return "", failf(Unusable, "the text has %d bytes, more than the %d of one memory: shorten it, or write a file", len(text), MaxText)
	}
	return text, nil
}
