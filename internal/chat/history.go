package chat

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"mindroom/internal/store"
)

// Message is a message as it reads now.
type Message struct {
	Event
	Edited bool // Content is that of the newest edit by its sender
}

// History returns the newest limit messages of a conversation that its account
// has heard, oldest first, edits folded into their originals and redacted
// messages left out. A conversation in a thread begins with the thread's root;
// one in a room leaves out what was said in threads.
//
// Order is by the senders' servers' clocks, none of them believed beyond the
// instant at which the event was recorded.
func (j *Journal) History(ctx context.Context, c Conversation, limit int) (messages []Message, err error) {
	err = j.db.Read(ctx, func(r *store.Reader) error {
		messages = nil
		return store.Each(r, func(rows *store.Rows) error {
			var m Message
			var edit string
			if err := scanEvent(rows, &m.Event, &edit); err != nil {
				return err
			}
			if edit != "" {
				m.Edited = true
				m.Content = NewContent(json.RawMessage(edit))
			}
			messages = append(messages, m)
			return nil
		}, historyQuery, c.Account, c.Room, c.ThreadRoot, typeMessage, limit)
	})
	if err != nil {
		return nil, fmt.Errorf("history of %s for %s: %w", c.Room, c.Account, err)
	}
	slices.Reverse(messages)
	return messages, nil
}

// Only the sender of a message may edit it; an edit by another is no edit.
const historyQuery = `SELECT ` + eventColumns + `,
	coalesce((SELECT x.content FROM chat_events x
		WHERE x.account = e.account AND x.replaces = e.event_id AND x.replaces <> '' AND x.room_id = e.room_id
			AND x.sender = e.sender AND x.type = e.type AND NOT x.redacted
		ORDER BY x.order_ts DESC, x.seq DESC LIMIT 1), '')
	FROM chat_events e
	WHERE account = $1 AND room_id = $2 AND (thread_root = $3 OR (event_id = $3 AND thread_root = ''))
		AND type = $4 AND replaces = '' AND NOT redacted
	ORDER BY order_ts DESC, seq DESC LIMIT $5`

// Find returns the event of that id as the account heard it; false when it has
// not.
func (j *Journal) Find(q store.Queryer, account, eventID string) (e Event, found bool, err error) {
	err = store.Each(q, func(rows *store.Rows) error {
		found = true
		return scanEvent(rows, &e)
	}, "SELECT "+eventColumns+" FROM chat_events WHERE account = $1 AND event_id = $2", account, eventID)
	if err != nil {
		return Event{}, false, fmt.Errorf("find event %s of %s: %w", eventID, account, err)
	}
	return e, found, nil
}
