package clock

import (
	"sort"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestStamp(t *testing.T) {
	t.Parallel()
	berlin := time.FixedZone("east", 3600)
	for name, c := range map[string]struct {
		in   time.Time
		want string
	}{
		"whole second keeps its digits": {time.Date(2026, 3, 1, 9, 30, 0, 0, time.UTC), "2026-03-01T09:30:00.000000Z"},
		"other zones become UTC":        {time.Date(2026, 3, 1, 9, 30, 0, 0, berlin), "2026-03-01T08:30:00.000000Z"},
		"nanoseconds are cut":           {time.Date(2026, 3, 1, 9, 30, 0, 999_999_999, time.UTC), "2026-03-01T09:30:00.999999Z"},
		"zero time":                     {time.Time{}, "0001-01-01T00:00:00.000000Z"},
		"far future is clamped":         {time.Date(12026, 1, 1, 0, 0, 0, 0, time.UTC), "9999-12-31T23:59:59.999999Z"},
		"far past is clamped":           {time.Date(-5, 1, 1, 0, 0, 0, 0, time.UTC), "0000-01-01T00:00:00.000000Z"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := Stamp(c.in); got != c.want {
				t.Errorf("Stamp = %q, want %q", got, c.want)
			}
		})
	}
}

// Invariant 1.
func TestStampsSortLikeInstants(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		micros := rapid.SliceOfN(rapid.Int64Range(-1<<52, 1<<52), 2, 20).Draw(rt, "micros")
		sort.Slice(micros, func(i, j int) bool { return micros[i] < micros[j] })
		for i := 1; i < len(micros); i++ {
			a, b := Stamp(time.UnixMicro(micros[i-1])), Stamp(time.UnixMicro(micros[i]))
			if len(a) != len(b) || (a > b) {
				rt.Fatalf("%s before %s", b, a)
			}
		}
	})
}

func TestParseStampRefuses(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"", "2026-03-01T09:30:00Z", "2026-03-01T09:30:00.000000", "2026-03-01T09:30:00.000000+00:00",
		"2026-03-01T09:30:00.0000000Z", "2026-02-30T09:30:00.000000Z", " 2026-03-01T09:30:00.000000Z", "2026-03-01T09:30:00,000000Z"} {
		if got, err := ParseStamp(s); err == nil {
			t.Errorf("ParseStamp(%q) = %v, want an error", s, got)
		}
	}
}

// Invariant 2.
func FuzzParseStamp(f *testing.F) {
	f.Add("2026-03-01T09:30:00.000250Z")
	f.Add("2026-03-01T09:30:00,000250Z")
	f.Fuzz(func(t *testing.T, s string) {
		at, err := ParseStamp(s)
		if err == nil && Stamp(at) != s {
			t.Fatalf("%q came back as %q", s, Stamp(at))
		}
	})
}

func TestWall(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 1, 9, 30, 0, 0, time.FixedZone("east", 3600))
	if got := Fixed(at).Stamp(); got != "2026-03-01T08:30:00.000000Z" {
		t.Errorf("Fixed.Stamp = %q", got)
	}
	var system Wall
	before := time.Now()
	got := system.Now()
	if got.Location() != time.UTC || got.Before(before.Add(-time.Second)) || got.After(time.Now().Add(time.Second)) {
		t.Errorf("the nil Wall tells %v, want the system's UTC time near %v", got, before)
	}
}
