package turn

import (
	"context"
	"fmt"
	"time"

	"mindroom/internal/clock"
	"mindroom/internal/store"
)

// pruneSubagents deletes subagents that rest since before an instant and in whose
// conversation no turn ended since then: nobody speaks there of them any more.
func pruneSubagents(ctx context.Context, db *store.DB, before time.Time) error {
	err := db.Write(ctx, func(tx *store.Tx) error {
		_, err := tx.Exec(`DELETE FROM subagents WHERE state <> $1 AND changed_at < $2 AND NOT EXISTS (
				SELECT 1 FROM turns t WHERE t.agent = subagents.caller AND t.conversation = subagents.conversation AND t.changed_at >= $2)`,
			string(SubagentRunning), clock.Stamp(before))
		return err
	})
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("delete old subagents: %w", err)
	}
	return nil
}

// heldBySubagents lists the digests of files in what subagents go on from.
func heldBySubagents(q store.Queryer) (digests []string, err error) {
	err = store.Each(q, func(rows *store.Rows) error {
		s, err := scanSubagent(rows.Scan)
		if err != nil {
			return nil // of another build: it cannot be continued here
		}
		for _, m := range s.transcript {
			digests = append(digests, shownIn(m)...)
		}
		return nil
	}, `SELECT `+subagentColumns+` FROM subagents WHERE transcript LIKE '%digest%'`)
	if err != nil {
		return nil, fmt.Errorf("files of subagents: %w", err)
	}
	return digests, nil
}
