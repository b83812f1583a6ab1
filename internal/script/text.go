package script

import (
	"time"
	"unicode/utf8"

	"mindroom/internal/clock"
)

// maxText bounds the durable error and the durable output of a run, in bytes
// (S75).
const maxText = 64 << 10

// head keeps the first n bytes of s without cutting a character.
func head(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// tail keeps the last n bytes of s without cutting a character.
func tail(s string, n int) string {
	if len(s) <= n {
		return s
	}
	i := len(s) - n
	for i < len(s) && !utf8.RuneStart(s[i]) {
		i++
	}
	return s[i:]
}

func stamp(t time.Time) string { return clock.Stamp(t) }

func stampOrNil(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	s := stamp(t)
	return &s
}

func number(b bool) int {
	if b {
		return 1
	}
	return 0
}

func code(c *int) any {
	if c == nil {
		return nil
	}
	return *c
}
