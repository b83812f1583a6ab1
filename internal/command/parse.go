package command

import "strings"

// Line is a command as written, taken apart.
type Line struct {
	// Name is the first word without "!", folded; empty for a lone "!".
	Name string
	// Args is the rest, without the white space around it.
	Args string
}

// Parse takes a command apart; false for a text that is none, because it does
// not begin with "!" (spec/runtime.md 4).
func Parse(text string) (Line, bool) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(text), "!")
	if !ok {
		return Line{}, false
	}
	name, args := rest, ""
	if i := strings.IndexFunc(rest, isSpace); i >= 0 {
		name, args = rest[:i], strings.TrimSpace(rest[i:])
	}
	return Line{Name: fold(name), Args: args}, true
}

func isSpace(r rune) bool { return strings.ContainsRune(" \t\r\n\u00a0", r) }

// fold makes the ways to write one name alike: thread_mode, Thread-Mode and
// threadmode.
func fold(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(name))
}
