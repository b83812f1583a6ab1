package chat

import (
	"encoding/json"
	"fmt"
	"slices"

	"mindroom/internal/store"
)

// Open completes a held event with what it says and makes it new: e's Type and
// Content take the place of the envelope's. False means that the account holds
// no such event; nothing was changed.
func (j *Journal) Open(tx *store.Tx, account string, e Event) (bool, error) {
	if e.Content == nil {
		e.Content = json.RawMessage("{}")
	}
	rel := ParseRelations(e.Content)
	n, err := tx.Exec(`UPDATE chat_events SET type = $1, content = $2, thread_root = $3, replaces = $4, state = 'new'
		WHERE account = $5 AND event_id = $6 AND state = 'held'`,
		e.Type, string(e.Content), rel.ThreadRoot, rel.Replaces, account, e.EventID)
	if err != nil {
		return false, fmt.Errorf("open event %s of %s: %w", e.EventID, account, err)
	}
	if n > 0 {
		tx.AfterCommit(func() { j.wakes.signal(account) })
	}
	return n > 0, nil
}

// Held returns the newest limit events that the account holds, in the order of
// recording.
func (j *Journal) Held(q store.Queryer, account string, limit int) (events []Event, err error) {
	err = store.Each(q, func(rows *store.Rows) error {
		var e Event
		err := scanEvent(rows, &e)
		events = append(events, e)
		return err
	}, "SELECT "+eventColumns+" FROM chat_events WHERE account = $1 AND state = 'held' ORDER BY seq DESC LIMIT $2", account, limit)
	if err != nil {
		return nil, fmt.Errorf("held events of %s: %w", account, err)
	}
	slices.Reverse(events)
	return events, nil
}

// HeldIn counts the events of a room that are held, by account.
func HeldIn(q store.Queryer, room string) (map[string]int, error) {
	counts := map[string]int{}
	err := store.Each(q, func(rows *store.Rows) error {
		var account string
		var n int
		err := rows.Scan(&account, &n)
		counts[account] = n
		return err
	}, "SELECT account, COUNT(*) FROM chat_events WHERE state = 'held' AND room_id = $1 GROUP BY account", room)
	if err != nil {
		return nil, fmt.Errorf("held events in %s: %w", room, err)
	}
	return counts, nil
}
