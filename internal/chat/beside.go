package chat

import (
	"fmt"
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
// it, oldest first, e among them. Edits and what was taken back are left out.
func (j *Journal) Beside(q store.Queryer, e Event, span time.Duration) (all []Neighbour, err error) {
	err = store.Each(q, func(rows *store.Rows) error {
		var n Neighbour
		var at int64
		err := scanEvent(rows, &n.Event, &at)
		n.At = time.UnixMilli(at)
		all = append(all, n)
		return err
	}, "SELECT "+eventColumns+`, order_ts FROM chat_events
		WHERE account = $1 AND room_id = $2 AND thread_root = $3
			AND order_ts >= (SELECT order_ts FROM chat_events WHERE seq = $4) - $5
			AND order_ts <= (SELECT order_ts FROM chat_events WHERE seq = $4) + $5
			AND sender = $6 AND type = $7 AND replaces = '' AND NOT redacted
		ORDER BY order_ts, seq`,
		e.Account, e.Room, ParseRelations(e.Content).ThreadRoot, e.Seq, span.Milliseconds(), e.Sender, typeMessage)
	if err != nil {
		return nil, fmt.Errorf("messages beside %s: %w", e.EventID, err)
	}
	return all, nil
}
