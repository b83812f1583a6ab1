package audit

import (
	"context"
	"fmt"
	"time"

	"mindroom/internal/clock"
	"mindroom/internal/store"
)

// pruneRows bounds the records that one transaction of retention looks at.
const pruneRows = 500

// Keep tells whether the owner of records (a run or a turn) is still there: its
// records stay as long as it does.
type Keep func(q store.Queryer, owner string) (bool, error)

// Prune deletes the records of calls that were made before an instant and whose
// owner is gone, and returns how many. It stops early, without an error, when
// ctx ends. The newest record always stays: its sequence is given to no other
// then, and the mirror and whoever follows can count on that.
func Prune(ctx context.Context, db *store.DB, before time.Time, keep Keep) (int, error) {
	pruned, err := db.Sweep(ctx, func(tx *store.Tx, after int64) (int64, int, bool, error) {
		return deleteRecords(tx, after, before, keep)
	})
	if err != nil {
		return pruned, fmt.Errorf("delete old audit records: %w", err)
	}
	return pruned, nil
}

// deleteRecords looks at the next records in the order of writing and deletes
// those that may go; last is the newest old one, and over says that none follows.
func deleteRecords(tx *store.Tx, after int64, before time.Time, keep Keep) (last int64, n int, over bool, err error) {
	owners := map[string][]int64{}
	looked := 0
	last = after
	err = store.Each(tx, func(rows *store.Rows) error {
		var id int64
		var owner string
		var young bool
		if err := rows.Scan(&id, &owner, &young); err != nil || over || young {
			over = true
			return err
		}
		owners[owner] = append(owners[owner], id)
		looked++
		last = id
		return nil
	}, `SELECT id, owner, at >= $2 FROM audit WHERE id > $1
		AND id < (SELECT max(id) FROM audit) ORDER BY id LIMIT $3`, after, clock.Stamp(before), pruneRows)
	if err != nil {
		return after, 0, false, err
	}
	for owner, ids := range owners {
		kept, err := keep(tx, owner)
		if err != nil {
			return after, 0, false, err
		}
		if kept {
			continue
		}
		for _, id := range ids {
			if _, err := tx.Exec(`DELETE FROM audit WHERE id = $1`, id); err != nil {
				return after, 0, false, err
			}
		}
		n += len(ids)
	}
	return last, n, over || looked < pruneRows, nil
}
