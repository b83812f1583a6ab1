package matrix

import (
	"slices"
	"sync/atomic"
	"testing"
	"time"
)

// The clock is set back by three days and then forward by six while it runs: what
// is said is heard and sent, and nobody takes a live account for a silent one.
func TestClockJumps(t *testing.T) {
	t.Parallel()
	var off atomic.Int64
	r, ctx := newRig(t, func(c *Config) {
		c.Wall = func() time.Time { return time.Now().Add(time.Duration(off.Load())) }
	}), within(t, time.Minute)
	ann := r.hs.Person(t, "ann")
	room := r.run(ctx, garten(ann.UserID), RouterKey, "news")["garten"]
	r.visitor(ctx, room, ann)
	var want []string
	for _, jump := range []time.Duration{0, -72 * time.Hour, 72 * time.Hour} {
		off.Store(int64(jump))
		body := "said at " + jump.String()
		want = append(want, body)
		_, err := ann.Send(ctx, room, body)
		must(t, err)
		r.await(ctx, body, func() bool {
			live, _ := r.bodies("news")
			return slices.Equal(slices.DeleteFunc(live, func(s string) bool { return s == "answer" }), want)
		})
		r.say("news", text("answer "+jump.String(), room, "answer"))
		r.settled(ctx, "answer "+jump.String())
		for key, h := range r.net.Health() {
			if h.Silence < 0 || h.Silence > time.Minute || h.Failures != 0 {
				t.Errorf("after %s: health of %s: %+v", jump, key, h)
			}
		}
	}
}
