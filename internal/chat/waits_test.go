package chat

import (
	"testing"
	"time"
)

// Invariant 10: an instant of a clock that was wrong does not hold up a room.
func TestClockSetBack(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		back time.Duration
		due  string
	}{
		"not at all":      {0, ""},
		"by some days":    {72 * time.Hour, "m "},
		"by half an hour": {30 * time.Minute, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBundle(t)
			b.enqueue(t, message("m", roomA, "x"))
			b.next(t)
			b.failed(t, "m", KindUnreachable, b.now.Add(time.Minute))
			b.now = b.now.Add(-c.back)
			if got := idsOf(b.next(t)); got != c.due {
				t.Errorf("%q is due, not %q", got, c.due)
			}
		})
	}
}
