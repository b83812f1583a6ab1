//go:build goolm

package matrix

import (
	"context"
	"crypto/rand"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"mindroom/internal/chat"
	"mindroom/internal/person"
	"mindroom/internal/store"
	"mindroom/test/faultproxy"
	"mindroom/test/homeserver"
)

// A key does not come: the room is told once, in the message's thread, although two
// accounts lack it and both start again; when it comes, the message is heard.
func TestAKeyThatDoesNotComeIsTold(t *testing.T) {
	t.Parallel()
	r, ctx := newRig(t, func(c *Config) { c.UnreadAfter, c.LongPoll = time.Second, 2*time.Second }), within(t, 2*time.Minute)
	wire, err := faultproxy.Start(r.hs.URL)
	must(t, err)
	t.Cleanup(wire.Close)
	ann, err := person.Register(ctx, wire.URL, "ann-"+homeserver.Suffix(), "password-"+rand.Text())
	must(t, err)
	t.Cleanup(ann.Close)
	must(t, ann.Secure(ctx))
	room := r.run(ctx, garten(ann.UserID), RouterKey, "news")["garten"]
	r.visitor(ctx, room, ann)
	r.admin(ctx, room, ann)
	must(t, ann.Encrypt(ctx, room))
	wire.Arm(faultproxy.Fault{Status: 200, Body: "{}", Times: 1, Match: func(q *http.Request) bool {
		return strings.Contains(q.URL.Path, "/sendToDevice/m.room.encrypted/")
	}})
	sent, err := ann.Send(ctx, room, "can you read this?")
	must(t, err)
	told := func() bool {
		var all, out int
		must(t, r.db.Read(ctx, func(q *store.Reader) error {
			return q.QueryRow(`SELECT count(*), coalesce(sum(state = 'sent'), 0) FROM chat_deliveries WHERE id LIKE 'unread %'`).Scan(&all, &out)
		}))
		return all == 1 && out == 1
	}
	r.await(ctx, "the notice", told)
	r.stop()
	r.start()
	r.run(ctx, garten(ann.UserID), RouterKey, "news")
	r.await(ctx, "both accounts lacking the key again", func() bool {
		return r.found("news", sent).State == chat.EventHeld && r.found(RouterKey, sent).State == chat.EventHeld
	})
	follow, stop := context.WithCancel(ctx)
	defer stop()
	var following sync.WaitGroup
	following.Go(func() { _, _ = ann.WaitFor(follow, func(person.Event) bool { return false }) }) // until it is stopped
	r.hears(ctx, "news", "can you read this?")
	stop()
	following.Wait()
	thread, err := ann.Thread(ctx, room, sent)
	must(t, err)
	if len(thread) != 1 || !strings.Contains(thread[0].Body(), "cannot be read") || thread[0].Content["msgtype"] != "m.notice" || !thread[0].Encrypted {
		t.Errorf("the thread has %+v", thread)
	}
	if !told() {
		t.Error("more was said")
	}
}
