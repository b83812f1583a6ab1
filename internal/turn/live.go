package turn

import (
	"fmt"

	"mindroom/internal/store"
)

// Live lists the turns of a room that have not ended, oldest first, running or
// waiting: those of one thread, or of the whole room when thread is empty. Of turns of
// subagents those in the background are listed; the others end with their callers'.
func Live(q store.Queryer, room, thread string) ([]Turn, error) {
	var all []Turn
	err := store.Each(q, func(rows *store.Rows) error {
		r, err := scanRow(rows.Scan)
		if err != nil {
			return err
		}
		t, err := r.public()
		all = append(all, t)
		return err
	}, `SELECT `+columns+` FROM turns WHERE state IN ('clean', 'dirty', 'parked', 'ready', 'claimed')
		AND (subagent = '' OR subagent IN (SELECT subagent_id FROM subagents WHERE background <> 0))
		AND room_id = $1 AND ($2 = '' OR thread_root = $2) ORDER BY seq`, room, thread)
	if err != nil {
		return nil, fmt.Errorf("list the open turns of %s: %w", room, err)
	}
	return all, nil
}
