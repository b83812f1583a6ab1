package approval

import (
	"fmt"
	"time"

	"mindroom/internal/clock"
	"mindroom/internal/store"
)

// Restore ends every pending question of a database that was restored from a
// backup at an instant: what asked it has ended with the backup, and nobody can
// tell what the process that was lost heard since. Nothing is said about it in
// the rooms, which may show another end; whoever decides now is told that it is
// over.
func Restore(tx *store.Tx, at time.Time) error {
	_, err := tx.Exec(`UPDATE approval_cards SET state = $1, reason = $2, decided_at = $3 WHERE state = 'pending'`,
		string(Withdrawn), "the service was restored from a backup", clock.Stamp(at))
	if err != nil {
		return fmt.Errorf("end the questions of the backup: %w", err)
	}
	return nil
}
