package clock

import (
	"fmt"
	"time"
)

// Wall tells the present instant. The zero Wall (nil) is the system clock, so
// that a struct with a Wall field works without being told the time.
type Wall func() time.Time

// Now returns the present instant in UTC without a monotonic reading: it is
// meant to be stored or compared with what was stored, never to measure.
func (w Wall) Now() time.Time {
	if w == nil {
		return time.Now().UTC().Round(0)
	}
	return w().UTC().Round(0)
}

// Stamp is Stamp(w.Now()).
func (w Wall) Stamp() string { return Stamp(w.Now()) }

// Fixed is a Wall that always tells t.
func Fixed(t time.Time) Wall { return func() time.Time { return t } }

// layout has six fractional digits: the precision PostgreSQL keeps, so that a
// stamp survives a move of the database unchanged.
const layout = "2006-01-02T15:04:05.000000Z"

// Stamp writes t as a fixed-width UTC instant with microseconds, for example
// 2026-03-01T09:30:00.000250Z. Finer digits are cut off, never rounded up: a
// stamp is never later than its instant. Years outside 0–9999 have no stamp of
// this width; they are clamped to the nearest that has.
func Stamp(t time.Time) string {
	t = t.UTC()
	switch y := t.Year(); {
	case y < 0:
		t = time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC)
	case y > 9999:
		t = time.Date(9999, 12, 31, 23, 59, 59, 999_999_000, time.UTC)
	}
	return t.Format(layout)
}

// ParseStamp reads what Stamp wrote. Anything else is refused, other valid
// spellings of the same instant included: two spellings of one instant in a
// column would break its order.
func ParseStamp(s string) (time.Time, error) {
	t, err := time.Parse(layout, s)
	if err != nil {
		return time.Time{}, fmt.Errorf("clock: %q is not a stored instant (want the form %s): %w", s, layout, err)
	}
	if Stamp(t) != s {
		return time.Time{}, fmt.Errorf("clock: %q is not a stored instant (want the form %s)", s, layout)
	}
	return t, nil
}
