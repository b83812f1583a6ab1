package turn

import (
	"context"
	"fmt"
	"time"

	"mindroom/internal/approval"
	"mindroom/internal/chat"
	"mindroom/internal/clock"
	"mindroom/internal/interactive"
	"mindroom/internal/store"
	"mindroom/internal/tool"
)

// pruneRows bounds the turns that one transaction of retention looks at.
const pruneRows = 200

// live are the states of a turn that has not ended.
const live = `state IN ('clean', 'dirty', 'parked', 'ready', 'claimed')`

// Busy are the rooms in which a turn has not ended: it may still read what was
// said there, and edit what it said.
func Busy(q store.Queryer) (map[chat.Place]bool, error) {
	busy := map[chat.Place]bool{}
	err := store.Each(q, func(rows *store.Rows) error {
		var p chat.Place
		err := rows.Scan(&p.Account, &p.Room)
		busy[p] = true
		return err
	}, `SELECT account, room_id FROM turns WHERE `+live)
	if err != nil {
		return nil, fmt.Errorf("list where turns are live: %w", err)
	}
	return busy, nil
}

// Prune deletes turns that ended before an instant, with their calls and cards, and
// returns how many. Of a conversation in which a turn ended since then the
// newest stay that later answers look back to. It stops early, without an error,
// when ctx ends.
//
// That a message is answered once (sentence 2) hangs on the journal from then on:
// it does not take an event for new that it deleted (chat.Journal.Forgotten).
func Prune(ctx context.Context, db *store.DB, before time.Time) (int, error) {
	pruned, err := db.Sweep(ctx, func(tx *store.Tx, after int64) (int64, int, bool, error) { return deleteTurns(tx, after, before) })
	if err != nil {
		return pruned, fmt.Errorf("delete old turns: %w", err)
	}
	return pruned, pruneSubagents(ctx, db, before)
}

// deleteTurns looks at the next turns in the order of creation and deletes those
// that may go; last is the newest it looked at. The newest turn of all stays,
// because the next one is numbered after it.
func deleteTurns(tx *store.Tx, after int64, before time.Time) (last int64, n int, over bool, err error) {
	var ids []string
	looked := 0
	last = after
	err = store.Each(tx, func(rows *store.Rows) error {
		var seq int64
		var id string
		var may, young bool
		if err := rows.Scan(&seq, &id, &may, &young); err != nil || over || young {
			over = true
			return err
		}
		if may {
			ids = append(ids, id)
		}
		looked++
		last = seq
		return nil
	}, `SELECT seq, turn_id, NOT `+live+` AND changed_at < $2 AND seq < (SELECT max(seq) FROM turns)
			AND (NOT EXISTS (SELECT 1 FROM turns x WHERE x.agent = t.agent AND x.conversation = t.conversation AND x.changed_at >= $2)
				OR (SELECT count(*) FROM turns y WHERE y.agent = t.agent AND y.conversation = t.conversation AND y.seq > t.seq) >= $4),
			created_at >= $2
		FROM turns t WHERE seq > $1 ORDER BY seq LIMIT $3`, after, clock.Stamp(before), pruneRows, ownAnswers)
	if err != nil {
		return after, 0, false, err
	}
	for _, id := range ids {
		for _, door := range []tool.Door{tool.DoorTurn, tool.DoorCLI} {
			if err := approval.Forget(tx, door, id); err != nil {
				return after, 0, false, err
			}
		}
		if err := interactive.Forget(tx, id); err != nil {
			return after, 0, false, err
		}
		if _, err := tx.Exec(`DELETE FROM turns WHERE turn_id = $1`, id); err != nil {
			return after, 0, false, err
		}
	}
	return last, len(ids), over || looked < pruneRows, nil
}
