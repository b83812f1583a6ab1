package command

import (
	"context"
	"fmt"
	"time"

	"mindroom/internal/clock"
	"mindroom/internal/store"
)

// pruneRows bounds what one transaction of retention deletes.
const pruneRows = 500

// Prune deletes the commands that ended before an instant, and returns how many.
// It stops early, without an error, when ctx ends. The newest of all stays,
// because the next one is numbered after it.
//
// That a command is accepted once (sentence 1) hangs on the journal from then
// on: it does not take an event for new that it deleted (chat.Journal.Forgotten).
func Prune(ctx context.Context, db *store.DB, before time.Time) (pruned int, err error) {
	for ctx.Err() == nil {
		var n int64
		err := db.Write(ctx, func(tx *store.Tx) (err error) {
			n, err = tx.Exec(`DELETE FROM commands WHERE seq IN (SELECT seq FROM commands WHERE changed_at < $1
				AND state IN ('answered', 'silent', 'uncertain') AND seq < (SELECT MAX(seq) FROM commands) ORDER BY seq LIMIT $2)`,
				clock.Stamp(before), pruneRows)
			return err
		})
		if err != nil && ctx.Err() == nil {
			return pruned, fmt.Errorf("delete old commands: %w", err)
		}
		if pruned += int(n); err != nil || n < pruneRows {
			return pruned, nil
		}
	}
	return pruned, nil
}
