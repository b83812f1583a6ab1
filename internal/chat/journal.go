package chat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"mindroom/internal/clock"
	"mindroom/internal/store"
)

// EventState is how far an event has been worked on.
type EventState string

// The states of an event; see the table in doc.go.
const (
	// EventHeld came encrypted and its key did not come yet: Open makes it new.
	EventHeld    EventState = "held"
	EventNew     EventState = "new"
	EventTaken   EventState = "taken"   // something was decided because of it
	EventIgnored EventState = "ignored" // it was looked at and is nobody's business
)

// Event is one event as an account heard it, decrypted by that account. The
// content of an event that came encrypted includes the m.relates_to of its
// envelope, where clients put it.
type Event struct {
	Seq      int64  // order of recording, set by the journal
	Account  string // who heard it
	EventID  string
	Room     string
	Sender   string
	Type     string
	OriginTS int64           // milliseconds since 1970, as the sender's server says
	Content  json.RawMessage // nil is stored as {}
	Redacts  string          // of m.room.redaction in rooms before version 11; content.redacts is read too
	// Live: heard while syncing on from a known position. False for what came
	// with the first sync or was fetched as history.
	Live bool
	// State is new for what is recorded, unless it says EventHeld: then Type and
	// Content are those of the envelope.
	State EventState
}

// Journal is what was heard.
type Journal struct {
	db    *store.DB
	wall  clock.Wall
	wakes wakes
}

// NewJournal makes the journal of db, which must have Schema.
func NewJournal(db *store.DB, wall clock.Wall) *Journal { return &Journal{db: db, wall: wall} }

// SyncPosition returns the next_batch token to sync on from, "" for an account
// that never synced.
func (j *Journal) SyncPosition(q store.Queryer, account string) (string, error) {
	var token string
	err := q.QueryRow("SELECT next_batch FROM chat_sync WHERE account = $1", account).Scan(&token)
	if err != nil && !errors.Is(err, store.ErrNoRows) {
		return "", fmt.Errorf("sync position of %s: %w", account, err)
	}
	return token, nil
}

// RecordSync stores the events of one sync response, oldest first a room, and
// the position after it, and returns how many of them were not known (invariants
// 1 and 2). An empty nextBatch leaves the position: for history fetched beside
// the sync. Recording of events that must be kept is one transaction with the
// position only if the caller passes them together.
func (j *Journal) RecordSync(tx *store.Tx, account, nextBatch string, events []Event) (fresh int, err error) {
	now := j.wall.Now()
	for _, e := range events {
		e.Account = account
		ok, err := record(tx, e, clock.Stamp(now), now.UnixMilli())
		if err != nil {
			return 0, fmt.Errorf("journal event %s of %s: %w", e.EventID, account, err)
		}
		if ok {
			fresh++
		}
	}
	if nextBatch != "" {
		_, err := tx.Exec(`INSERT INTO chat_sync (account, next_batch, updated_at) VALUES ($1, $2, $3)
			ON CONFLICT (account) DO UPDATE SET next_batch = excluded.next_batch, updated_at = excluded.updated_at`,
			account, nextBatch, clock.Stamp(now))
		if err != nil {
			return 0, fmt.Errorf("sync position of %s: %w", account, err)
		}
	}
	if fresh > 0 {
		tx.AfterCommit(func() { j.wakes.signal(account) })
	}
	return fresh, nil
}

func record(tx *store.Tx, e Event, stamp string, nowMillis int64) (bool, error) {
	if e.EventID == "" || e.Room == "" {
		return false, errors.New("an event needs an id and a room")
	}
	if e.Content == nil {
		e.Content = json.RawMessage("{}")
	}
	state := EventNew
	if e.State == EventHeld {
		state = EventHeld
	}
	rel := ParseRelations(e.Content)
	if e.Redacts == "" && e.Type == typeRedaction {
		e.Redacts = text(object(e.Content)["redacts"])
	}
	n, err := tx.Exec(`INSERT INTO chat_events
		(seq, account, event_id, room_id, sender, type, origin_ts, order_ts, content, thread_root, replaces, redacts, redacted, live, state, recorded_at)
		VALUES ((SELECT coalesce(max(seq), 0) + 1 FROM chat_events), $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11,
			EXISTS (SELECT 1 FROM chat_events r WHERE r.account = $1 AND r.redacts = $2 AND r.redacts <> '' AND r.room_id = $3),
			$12, $13, $14)
		ON CONFLICT (account, event_id) DO NOTHING`,
		e.Account, e.EventID, e.Room, e.Sender, e.Type, e.OriginTS,
		min(e.OriginTS, nowMillis), // a clock that runs ahead must not put its event after all to come
		string(e.Content), rel.ThreadRoot, rel.Replaces, e.Redacts, e.Live, string(state), stamp)
	if err != nil || n == 0 {
		return false, err
	}
	if e.Redacts != "" {
		_, err = tx.Exec("UPDATE chat_events SET redacted = TRUE WHERE account = $1 AND event_id = $2 AND room_id = $3", e.Account, e.Redacts, e.Room)
	}
	return true, err
}

const (
	typeMessage   = "m.room.message"
	typeRedaction = "m.room.redaction"
)

const eventColumns = "seq, account, event_id, room_id, sender, type, origin_ts, content, redacts, live, state"

func scanEvent(rows *store.Rows, e *Event, more ...any) error {
	var content string
	err := rows.Scan(append([]any{&e.Seq, &e.Account, &e.EventID, &e.Room, &e.Sender, &e.Type, &e.OriginTS, &content, &e.Redacts, &e.Live, &e.State}, more...)...)
	e.Content = json.RawMessage(content)
	return err
}

// New returns up to limit events of the account that nobody took or ignored
// yet, in the order of recording.
func (j *Journal) New(ctx context.Context, account string, limit int) (events []Event, err error) {
	err = j.db.Read(ctx, func(r *store.Reader) error {
		return store.Each(r, func(rows *store.Rows) error {
			var e Event
			err := scanEvent(rows, &e)
			events = append(events, e)
			return err
		}, "SELECT "+eventColumns+" FROM chat_events WHERE account = $1 AND state = 'new' ORDER BY seq LIMIT $2", account, limit)
	})
	if err != nil {
		return nil, fmt.Errorf("new events of %s: %w", account, err)
	}
	return events, nil
}

// Mark takes or ignores a new event, in the transaction of what follows from it
// (invariant 3). False means that the event is no longer new: another got there
// first, and the caller must do nothing because of it.
func (j *Journal) Mark(tx *store.Tx, seq int64, state EventState) (bool, error) {
	if state != EventTaken && state != EventIgnored {
		return false, fmt.Errorf("chat: an event cannot become %q", state)
	}
	n, err := tx.Exec("UPDATE chat_events SET state = $1 WHERE seq = $2 AND state = 'new'", string(state), seq)
	if err != nil {
		return false, fmt.Errorf("mark event %d %s: %w", seq, state, err)
	}
	return n > 0, nil
}

// Subscribe returns a channel that gets a signal after each commit with events
// of the account that were not known, and the function that ends it. Read New
// once after subscribing: what was there before gives no signal.
func (j *Journal) Subscribe(account string) (<-chan struct{}, func()) {
	return j.wakes.subscribe(account)
}
