package command

import (
	"fmt"
	"time"

	"mindroom/internal/clock"
	"mindroom/internal/store"
)

// Restore ends every open command of a database that was restored from a backup
// at an instant. The process that was lost most likely carried them out and
// answered, so nothing is done and nothing said about them.
func Restore(tx *store.Tx, at time.Time) error {
	if _, err := tx.Exec(`UPDATE commands SET state = $1, changed_at = $2 WHERE state IN ('accepted', 'begun')`, string(Silent), clock.Stamp(at)); err != nil {
		return fmt.Errorf("end the commands of the backup: %w", err)
	}
	return nil
}
