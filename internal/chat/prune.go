package chat

import (
	"context"
	"fmt"
	"math"
	"time"

	"mindroom/internal/clock"
	"mindroom/internal/store"
)

// Kept is how many messages of a conversation retention always leaves as long as
// anything is said in it: at least as many as anybody reads of one.
const Kept = 1000

// pruneRows bounds the rows that one transaction of retention deletes, so that
// no write waits long behind it; pruneLooks the conversations or rows that are
// nominated at once.
const (
	pruneRows  = 200
	pruneLooks = 64
)

// Place is a room as one account sees it.
type Place struct{ Account, Room string }

// Busy tells in which places something is under way that may still need what was
// said there: nothing of them is deleted. It is asked in every transaction that
// deletes.
type Busy func(q store.Queryer) (map[Place]bool, error)

// Prune deletes events that were recorded, and by their own dates said, before
// an instant, and returns how many. A conversation goes as a whole once nothing
// was said in it since then; of a living one go the messages beyond the newest
// Kept. What nobody decided on yet stays (new and held events), and so do the
// root of a thread that is there, an edit while its original is, and the
// original while it is edited. It stops early, without an error, when ctx ends.
//
// A deleted event must never be new again, should a homeserver tell of it once
// more: its room remembers up to when events were deleted (see Forgotten).
func (j *Journal) Prune(ctx context.Context, before time.Time, busy Busy) (int, error) {
	pruned, at := 0, Conversation{}
	for ctx.Err() == nil {
		var nominated []Conversation
		err := j.db.Read(ctx, func(r *store.Reader) (err error) {
			nominated, at, err = nominate(r, at, before)
			return err
		})
		if err != nil {
			return pruned, wrapPrune(ctx, "events", err)
		}
		for len(nominated) > 0 && ctx.Err() == nil {
			var n int
			var left []Conversation
			err := j.db.Write(ctx, func(tx *store.Tx) (err error) {
				n, left, err = deleteEvents(tx, nominated, before, busy)
				return err
			})
			if err != nil {
				return pruned, wrapPrune(ctx, "events", err)
			}
			pruned += n
			nominated = left
		}
		if at == (Conversation{}) {
			break
		}
	}
	return pruned, nil
}

func wrapPrune(ctx context.Context, what string, err error) error {
	if err == nil || ctx.Err() != nil {
		return nil
	}
	return fmt.Errorf("delete old %s: %w", what, err)
}

// nominate walks on from a conversation and lists some that have something to
// delete. The walk is over when next is zero.
func nominate(q store.Queryer, at Conversation, before time.Time) (found []Conversation, next Conversation, err error) {
	for range pruneLooks {
		c, more, err := following(q, at)
		if err != nil || !more {
			return found, Conversation{}, err
		}
		rows, err := prunable(q, c, before, 1)
		if err != nil {
			return nil, at, err
		}
		if len(rows) > 0 {
			found = append(found, c)
		}
		at = c
	}
	return found, at, nil
}

// following is the conversation after at in the order of their names.
func following(q store.Queryer, at Conversation) (c Conversation, found bool, err error) {
	err = store.Each(q, func(rows *store.Rows) error {
		found = true
		return rows.Scan(&c.Account, &c.Room, &c.ThreadRoot)
	}, `SELECT account, room_id, thread_root FROM chat_events WHERE (account, room_id, thread_root) > ($1, $2, $3)
		ORDER BY account, room_id, thread_root LIMIT 1`, at.Account, at.Room, at.ThreadRoot)
	return c, found, err
}

// old is an event that may go.
type old struct {
	seq      int64
	event    string
	originTS int64
}

// floor is the place in a conversation below which its events are old.
func floor(q store.Queryer, c Conversation, before time.Time) (ts, seq int64, err error) {
	of := func(more string, args ...any) (found bool, err error) {
		err = store.Each(q, func(rows *store.Rows) error {
			found = true
			return rows.Scan(&ts, &seq)
		}, `SELECT order_ts, seq FROM chat_events WHERE account = $1 AND room_id = $2 AND thread_root = $3 `+more,
			append([]any{c.Account, c.Room, c.ThreadRoot}, args...)...)
		return found, err
	}
	living, err := of(`AND order_ts >= $4 LIMIT 1`, before.UnixMilli())
	if err != nil || !living {
		return math.MaxInt64, 0, err
	}
	long, err := of(`AND type = $4 AND replaces = '' ORDER BY order_ts DESC, seq DESC LIMIT 1 OFFSET $5`, typeMessage, Kept-1)
	if err != nil || !long {
		return math.MinInt64, 0, err
	}
	return ts, seq, nil
}

// prunable lists up to limit events of a conversation that may go, oldest first.
// The newest row of all stays, because the next one is numbered after it.
func prunable(q store.Queryer, c Conversation, before time.Time, limit int) (events []old, err error) {
	ts, seq, err := floor(q, c, before)
	if err != nil || ts == math.MinInt64 {
		return nil, err
	}
	err = store.Each(q, func(rows *store.Rows) error {
		var e old
		err := rows.Scan(&e.seq, &e.event, &e.originTS)
		events = append(events, e)
		return err
	}, `SELECT seq, event_id, origin_ts FROM chat_events e
		WHERE account = $1 AND room_id = $2 AND thread_root = $3 AND (order_ts, seq) < ($4, $5)
			AND recorded_at < $6 AND origin_ts < $7 AND state IN ('taken', 'ignored')
			AND seq < (SELECT max(seq) FROM chat_events)
			AND NOT EXISTS (SELECT 1 FROM chat_events t WHERE t.account = e.account AND t.room_id = e.room_id AND t.thread_root = e.event_id)
			AND NOT EXISTS (SELECT 1 FROM chat_events o WHERE e.replaces <> '' AND o.account = e.account AND o.event_id = e.replaces)
			AND NOT EXISTS (SELECT 1 FROM chat_events x WHERE x.account = e.account AND x.replaces = e.event_id AND x.replaces <> '' AND x.order_ts >= $7)
		ORDER BY order_ts, seq LIMIT $8`,
		c.Account, c.Room, c.ThreadRoot, ts, seq, clock.Stamp(before), before.UnixMilli(), limit)
	return events, err
}

// deleteEvents deletes at most about pruneRows events of the conversations and
// returns those that may have more. They are judged again here: between the look
// and this transaction somebody may have said something.
func deleteEvents(tx *store.Tx, from []Conversation, before time.Time, busy Busy) (n int, left []Conversation, err error) {
	kept, err := busy(tx)
	if err != nil {
		return 0, nil, err
	}
	for i, c := range from {
		if kept[Place{c.Account, c.Room}] {
			continue
		}
		if n >= pruneRows {
			return n, append(left, from[i:]...), nil
		}
		budget := pruneRows - n
		events, err := prunable(tx, c, before, budget)
		if err != nil {
			return 0, nil, err
		}
		for _, e := range events {
			if n, err = deleteEvent(tx, c, e, n); err != nil {
				return 0, nil, err
			}
		}
		if len(events) == budget {
			left = append(left, c)
		}
	}
	return n, left, nil
}

// deleteEvent deletes an event with its edits and has the room remember it.
func deleteEvent(tx *store.Tx, c Conversation, e old, n int) (int, error) {
	through := e.originTS
	err := store.Each(tx, func(rows *store.Rows) error {
		var ts int64
		err := rows.Scan(&ts)
		through = max(through, ts)
		return err
	}, `SELECT origin_ts FROM chat_events WHERE account = $1 AND replaces = $2 AND replaces <> '' AND state IN ('taken', 'ignored')
		AND seq < (SELECT max(seq) FROM chat_events)`, c.Account, e.event)
	if err != nil {
		return n, err
	}
	edits, err := tx.Exec(`DELETE FROM chat_events WHERE account = $1 AND replaces = $2 AND replaces <> '' AND state IN ('taken', 'ignored')
		AND seq < (SELECT max(seq) FROM chat_events)`, c.Account, e.event)
	if err != nil {
		return n, err
	}
	one, err := tx.Exec(`DELETE FROM chat_events WHERE seq = $1`, e.seq)
	if err != nil {
		return n, err
	}
	_, err = tx.Exec(`INSERT INTO chat_pruned (account, room_id, through_ts) VALUES ($1, $2, $3)
		ON CONFLICT (account, room_id) DO UPDATE SET through_ts = excluded.through_ts
			WHERE excluded.through_ts > chat_pruned.through_ts`, c.Account, c.Room, through)
	return n + int(edits+one), err
}

// Forgotten is the newest date, in milliseconds since 1970, of the events that
// retention deleted from a room; 0 when it deleted none. An event that is not in
// the journal and no newer than this may have been there: where a homeserver
// tells again what it told before, it must count as known.
func (j *Journal) Forgotten(q store.Queryer, account, room string) (through int64, err error) {
	err = q.QueryRow(`SELECT coalesce(max(through_ts), 0) FROM chat_pruned WHERE account = $1 AND room_id = $2`, account, room).Scan(&through)
	if err != nil {
		return 0, fmt.Errorf("what was deleted of %s: %w", room, err)
	}
	return through, nil
}
