package chat

import (
	"context"
	"time"

	"mindroom/internal/clock"
	"mindroom/internal/store"
)

// PruneHeld deletes held events that were recorded, and by their own dates said,
// before an instant, and returns how many: a key that did not come since then does
// not come any more. The root of a thread that is there stays. It stops early,
// without an error, when ctx ends.
//
// As with Prune, the room remembers up to when events were deleted.
func (j *Journal) PruneHeld(ctx context.Context, before time.Time) (pruned int, err error) {
	for n := pruneRows; n == pruneRows && ctx.Err() == nil; pruned += n {
		n = 0
		err := j.db.Write(ctx, func(tx *store.Tx) (err error) {
			n, err = deleteHeld(tx, before)
			return err
		})
		if err != nil {
			return pruned, wrapPrune(ctx, "events that cannot be read", err)
		}
	}
	return pruned, nil
}

func deleteHeld(tx *store.Tx, before time.Time) (n int, err error) {
	type held struct {
		Conversation
		old
	}
	var all []held
	err = store.Each(tx, func(rows *store.Rows) error {
		var h held
		err := rows.Scan(&h.Account, &h.Room, &h.seq, &h.event, &h.originTS)
		all = append(all, h)
		return err
	}, `SELECT account, room_id, seq, event_id, origin_ts FROM chat_events e
		WHERE state = 'held' AND recorded_at < $1 AND origin_ts < $2 AND seq < (SELECT max(seq) FROM chat_events)
			AND NOT EXISTS (SELECT 1 FROM chat_events t WHERE t.account = e.account AND t.room_id = e.room_id AND t.thread_root = e.event_id)
		ORDER BY seq LIMIT $3`, clock.Stamp(before), before.UnixMilli(), pruneRows)
	if err != nil {
		return 0, err
	}
	for _, h := range all {
		if _, err = deleteEvent(tx, h.Conversation, h.old, 0); err != nil {
			return 0, err
		}
	}
	return len(all), nil
}
