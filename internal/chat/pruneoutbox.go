package chat

import (
	"context"
	"time"

	"mindroom/internal/clock"
	"mindroom/internal/store"
)

// Prune deletes deliveries that have been over since before an instant, with
// what is remembered of their copies, and returns how many. A delivery stays
// while one that waits refers to it, and in a busy place every one does. It
// stops early, without an error, when ctx ends.
func (o *Outbox) Prune(ctx context.Context, before time.Time, busy Busy) (int, error) {
	pruned, err := o.db.Sweep(ctx, func(tx *store.Tx, after int64) (int64, int, bool, error) {
		return deleteDeliveries(tx, after, before, busy)
	})
	return pruned, wrapPrune(ctx, "deliveries", err)
}

// deleteDeliveries looks at the next deliveries in the order of enqueuing and
// deletes those that may go; last is the newest old one, and over says that none
// follows.
func deleteDeliveries(tx *store.Tx, after int64, before time.Time, busy Busy) (last int64, n int, over bool, err error) {
	kept, err := busy(tx)
	if err != nil {
		return after, 0, false, err
	}
	var ids []string
	looked := 0
	last = after
	err = store.Each(tx, func(rows *store.Rows) error {
		var seq int64
		var id string
		var p Place
		var may, young bool
		if err := rows.Scan(&seq, &id, &p.Account, &p.Room, &may, &young); err != nil || over || young {
			over = true
			return err
		}
		if may && !kept[p] {
			ids = append(ids, id)
		}
		looked++
		last = seq
		return nil
	}, `SELECT seq, id, account, room_id, state IN ('sent', 'failed', 'superseded') AND updated_at < $2
				AND seq < (SELECT max(seq) FROM chat_deliveries)
				AND NOT EXISTS (SELECT 1 FROM chat_deliveries x WHERE x.account = d.account AND x.room_id = d.room_id
					AND x.state IN ('queued', 'sending') AND x.target_delivery = d.id),
			created_at >= $2
		FROM chat_deliveries d WHERE seq > $1 ORDER BY seq LIMIT $3`, after, clock.Stamp(before), pruneRows)
	if err != nil {
		return after, 0, false, err
	}
	for _, id := range ids {
		if _, err := tx.Exec(`DELETE FROM chat_copies WHERE delivery_id = $1`, id); err != nil {
			return after, 0, false, err
		}
		if _, err := tx.Exec(`DELETE FROM chat_deliveries WHERE id = $1`, id); err != nil {
			return after, 0, false, err
		}
	}
	return last, len(ids), over || looked < pruneRows, nil
}
