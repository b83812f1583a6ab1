package main

import (
	"strconv"
	"strings"
	"unicode"
)

// isControl reports whether a terminal might obey r instead of showing it:
// control characters, and the marks that turn the direction of text.
func isControl(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029'
}

// plain is one line of foreign text that a terminal shows and does not obey
// (rule 7): what it would obey is spelled out, line breaks among them.
func plain(s string) string { return spell(s, "") }

// plainLines is plain for text of several lines; tabs stay as well.
func plainLines(s string) string { return spell(s, "\n\t") }

func spell(s, allowed string) string {
	obeyed := func(r rune) bool { return isControl(r) && !strings.ContainsRune(allowed, r) }
	if !strings.ContainsFunc(s, obeyed) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if !obeyed(r) {
			b.WriteRune(r)
			continue
		}
		q := strconv.QuoteRuneToASCII(r)
		b.WriteString(q[1 : len(q)-1])
	}
	return b.String()
}
