package clock

import (
	"testing"
	"testing/synctest"
	"time"
)

// A jump of the wall clock moves nothing until it has lasted for a day; a
// correction is followed at once.
func TestSteady(t *testing.T) {
	t.Parallel()
	for name, jump := range map[string]time.Duration{"ahead": 40 * 24 * time.Hour, "back": -40 * 24 * time.Hour} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var off time.Duration
				s := NewSteady(func() time.Time { return time.Now().Add(off) })
				is := func(what string, want time.Duration) {
					t.Helper()
					if got := s.Now().Sub(time.Now().UTC().Round(0)); got != want {
						t.Errorf("%s: it is %s off, not %s", what, got, want)
					}
				}
				is("at first", 0)
				off = time.Minute
				is("a correction", time.Minute)
				off = jump
				is("a jump", time.Minute)
				time.Sleep(23 * time.Hour)
				is("most of a day later", time.Minute)
				off = 0
				is("back again", 0)
				off = jump
				is("another jump", 0)
				time.Sleep(23 * time.Hour)
				is("its day begins anew", 0)
				time.Sleep(time.Hour)
				is("a day later", jump)
			})
		})
	}
}
