package script

import (
	"time"

	"mindroom/internal/clock"
)

// maxText bounds the durable error and the durable output of a run, in bytes
// (S75).
const maxText = 64 << 10

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
