package matrix

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"mindroom/internal/chat"
	"mindroom/internal/store"
	"mindroom/test/faultproxy"
)

// decide takes everything that was heard and deletes it as retention does.
func (r *rig) decideAndPrune(ctx context.Context) {
	r.t.Helper()
	must(r.t, r.db.Write(ctx, func(tx *store.Tx) error {
		_, err := tx.Exec(`UPDATE chat_events SET state = 'taken' WHERE state = 'new'`)
		return err
	}))
	nobody := func(store.Queryer) (map[chat.Place]bool, error) { return nil, nil }
	n, err := r.journal.Prune(ctx, time.Now().Add(time.Hour), nobody)
	must(r.t, err)
	if n == 0 {
		r.t.Fatal("nothing was deleted")
	}
}

// What retention deleted is told again by a homeserver that forgot our token, or
// read again to fill a gap: it is not new a second time. What was said since is.
func TestDeletedEventsAreNotNewAgain(t *testing.T) {
	t.Parallel()
	for name, forget := range map[string]bool{"the token is lost": true, "a gap is filled": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, ctx := newRig(t, func(c *Config) { c.TimelineLimit = 3 }), within(t, time.Minute)
			ann := r.hs.Person(t, "ann")
			room := r.run(ctx, garten(ann.UserID), RouterKey, "news")["garten"]
			r.visitor(ctx, room, ann)
			for _, text := range []string{"old one", "old two", "old three"} {
				_, err := ann.Send(ctx, room, text)
				must(t, err)
			}
			for _, key := range []string{RouterKey, "news"} {
				r.await(ctx, "the start", func() bool { live, _ := r.bodies(key); return len(live) == 3 })
			}
			r.decideAndPrune(ctx)
			r.stop()
			want := []string{"new one", "new two", "new three", "new four", "new five"}
			for _, text := range want {
				_, err := ann.Send(ctx, room, text)
				must(t, err)
			}
			r.start()
			times := 0
			if forget {
				times = 2
			}
			forgot := r.proxy.Arm(faultproxy.Fault{Status: 400, Body: `{"errcode":"M_UNKNOWN_POS","error":"unknown position"}`, Times: max(times, 1),
				Match: func(q *http.Request) bool {
					return forget && strings.HasSuffix(q.URL.Path, "/sync") && q.URL.Query().Get("since") != ""
				}})
			r.run(ctx, garten(ann.UserID), RouterKey, "news")
			for _, key := range []string{RouterKey, "news"} {
				r.await(ctx, "the new messages", func() bool { live, _ := r.bodies(key); return slices.Contains(live, "new five") })
				live, history := r.bodies(key)
				if !slices.Equal(live, want) || len(history) > 0 {
					t.Errorf("%s: live %q, history %q", key, live, history)
				}
			}
			if (forgot.Hits() > 0) != forget {
				t.Errorf("the token was forgotten %d times", forgot.Hits())
			}
		})
	}
}
