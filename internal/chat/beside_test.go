package chat

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"mindroom/internal/store"
)

// However much somebody says at once, only the nearest of it is read, and of what
// others say there, or of what was said elsewhere or long ago, nothing.
func TestBesideIsBounded(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	var all []Event
	for i := range 30 {
		all = append(all, said(fmt.Sprintf("$m%02d", i), "word", int64(1000+i/2))) // two in each millisecond
		other := said(fmt.Sprintf("$o%02d", i), "word", int64(1000+i/2))
		other.Sender = "@other:x"
		all = append(all, other, with(said(fmt.Sprintf("$t%02d", i), "word", int64(1000+i/2)), `{"rel_type":"m.thread","event_id":"$m00"}`))
	}
	b.record(t, "t1", all...)
	for name, c := range map[string]struct {
		of            string
		span          time.Duration
		before, after int
		want          string
	}{
		"both sides":        {"$m10", time.Hour, 3, 2, "$m07 $m08 $m09 $m10 $m11 $m12"},
		"nothing after":     {"$m11", time.Hour, 2, 0, "$m09 $m10 $m11"},
		"the first":         {"$m00", time.Hour, 5, 1, "$m00 $m01"},
		"the last":          {"$m29", time.Hour, 1, 9, "$m28 $m29"},
		"within a time":     {"$m10", 2 * time.Millisecond, 9, 9, "$m06 $m07 $m08 $m09 $m10 $m11 $m12 $m13 $m14 $m15"},
		"in its own thread": {"$t04", time.Hour, 1, 1, "$t03 $t04 $t05"},
	} {
		var got []string
		err := b.db.Read(t.Context(), func(r *store.Reader) error {
			e, found, err := b.journal.Find(r, bot, c.of)
			if err != nil || !found {
				return fmt.Errorf("%s is not there: %w", c.of, err)
			}
			near, err := b.journal.Beside(r, e, c.span, c.before, c.after)
			got = nil
			for _, n := range near {
				got = append(got, n.EventID)
			}
			return err
		})
		if err != nil || strings.Join(got, " ") != c.want {
			t.Errorf("%s: %v, want %s (%v)", name, got, c.want, err)
		}
	}
}
