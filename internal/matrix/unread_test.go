//go:build goolm

package matrix

import (
	"strings"
	"testing"
	"time"

	"mindroom/internal/chat"
	"mindroom/internal/store"
)

// A key does not come: the room is told once, in the message's thread, although two
// accounts lack it and both start again; when it comes, the message is heard.
func TestAKeyThatDoesNotComeIsTold(t *testing.T) {
	t.Parallel()
	r, ctx := newRig(t, func(c *Config) { c.UnreadAfter, c.LongPoll = time.Second, 2*time.Second }), within(t, 2*time.Minute)
	ann, room, sent := lostKey(ctx, r)
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
	stop := looking(ctx, ann)
	defer stop()
	r.hears(ctx, "news", "can you read this?")
	stop()
	thread, err := ann.Thread(ctx, room, sent)
	must(t, err)
	if len(thread) != 1 || !strings.Contains(thread[0].Body(), "cannot be read") || thread[0].Content["msgtype"] != "m.notice" || !thread[0].Encrypted {
		t.Errorf("the thread has %+v", thread)
	}
	if !told() {
		t.Error("more was said")
	}
}
