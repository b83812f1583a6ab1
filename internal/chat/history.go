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
		messages, err = history(r, historyQuery, c.Account, c.Room, typeMessage, limit, c.ThreadRoot)
		if err != nil || !c.InThread() || len(messages) >= limit {
			return err
		}
		root, err := history(r, rootQuery, c.Account, c.Room, typeMessage, 1, c.ThreadRoot)
		messages = append(messages, root...)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("history of %s for %s: %w", c.Room, c.Account, err)
	}
	slices.Reverse(messages)
	return messages, nil
}

func history(q store.Queryer, query string, args ...any) (messages []Message, err error) {
	err = store.Each(q, func(rows *store.Rows) error {
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
	}, query, args...)
	return messages, err
}

// Only the sender of a message may edit it; an edit by another is no edit.
const messagesQuery = `SELECT ` + eventColumns + `,
	coalesce((SELECT x.content FROM chat_events x
		WHERE x.account = e.account AND x.replaces = e.event_id AND x.replaces <> '' AND x.room_id = e.room_id
			AND x.sender = e.sender AND x.type = e.type AND NOT x.redacted
		ORDER BY x.order_ts DESC, x.seq DESC LIMIT 1), '')
	FROM chat_events e
	WHERE account = $1 AND room_id = $2 AND type = $3 AND replaces = '' AND NOT redacted `

// Two queries, so that each walks an index backwards and stops at its limit.
const (
	historyQuery = messagesQuery + `AND thread_root = $5 ORDER BY order_ts DESC, seq DESC LIMIT $4`
	rootQuery    = messagesQuery + `AND thread_root = '' AND event_id = $5 LIMIT $4`
)

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

// Withdrawn reports whether an event the account heard was taken back by a
// redaction. Its content stays in the journal, and must not be shown.
func (j *Journal) Withdrawn(q store.Queryer, account, eventID string) (bool, error) {
	var n int
	err := q.QueryRow("SELECT count(*) FROM chat_events WHERE account = $1 AND event_id = $2 AND redacted", account, eventID).Scan(&n)
	if err != nil {
		return false, fmt.Errorf("find event %s of %s: %w", eventID, account, err)
	}
	return n > 0, nil
}
