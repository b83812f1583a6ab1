package chat

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"mindroom/internal/store"
)

// Neighbour is a message that the same person said close to another one.
type Neighbour struct {
	Event
	// At is when it was said: its server's clock, believed no further than the
	// instant at which it was recorded.
	At time.Time
}

// Beside returns the messages that the sender of e said in the same place (the
// same room, and the same thread by their own word) within span before and after
// it, the nearest of each side up to those numbers, oldest first, e among them.
// Edits and what was taken back are left out.
func (j *Journal) Beside(q store.Queryer, e Event, span time.Duration, before, after int) (all []Neighbour, err error) {
	side := func(order string, args ...any) (side []Neighbour, err error) {
		err = store.Each(q, func(rows *store.Rows) error {
			var n Neighbour
			var at int64
			err := scanEvent(rows, &n.Event, &at)
			n.At = time.UnixMilli(at)
			side = append(side, n)
			return err
		}, "SELECT "+eventColumns+`, order_ts FROM chat_events
			WHERE account = $1 AND room_id = $2 AND thread_root = $3 AND sender = $4 AND type = $5 AND replaces = '' AND NOT redacted AND `+order,
			append([]any{e.Account, e.Room, ParseRelations(e.Content).ThreadRoot, e.Sender, typeMessage}, args...)...)
		return side, err
	}
	var at int64
	err = q.QueryRow("SELECT order_ts FROM chat_events WHERE seq = $1", e.Seq).Scan(&at)
	if err == nil {
		all, err = side(`order_ts >= $6 AND (order_ts, seq) <= ($7, $8) ORDER BY order_ts DESC, seq DESC LIMIT $9`, at-span.Milliseconds(), at, e.Seq, before+1)
	}
	slices.Reverse(all)
	if err == nil && after > 0 {
		var later []Neighbour
		later, err = side(`order_ts <= $6 AND (order_ts, seq) > ($7, $8) ORDER BY order_ts, seq LIMIT $9`, at+span.Milliseconds(), at, e.Seq, after)
		all = append(all, later...)
	}
	if err != nil && !errors.Is(err, store.ErrNoRows) {
		return nil, fmt.Errorf("messages beside %s: %w", e.EventID, err)
	}
	return all, nil
}
