package tty

import (
	"strconv"
	"strings"
	"unicode"
)

// Obeyed reports whether a terminal might obey r instead of showing it:
// control characters, and the marks that turn the direction of text.
func Obeyed(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029'
}

// Plain is one line of foreign text that a terminal shows and does not obey
// : what it would obey is spelled out, line breaks among them.
func Plain(s string) string { return spell(s, "") }

// PlainLines is Plain for text of several lines; tabs stay as well.
func PlainLines(s string) string { return spell(s, "\n\t") }

func spell(s, allowed string) string {
	replaced := func(r rune) bool { return Obeyed(r) && !strings.ContainsRune(allowed, r) }
	if !strings.ContainsFunc(s, replaced) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if !replaced(r) {
			b.WriteRune(r)
			continue
		}
		q := strconv.QuoteRuneToASCII(r)
		b.WriteString(q[1 : len(q)-1])
	}
	return b.String()
}
