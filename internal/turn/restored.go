package turn

import (
	"fmt"
	"time"

	"mindroom/internal/clock"
	"mindroom/internal/store"
)

// ReasonRestored ends the turns that were live in a backup.
const ReasonRestored Reason = "restored"

// Restore ends every live turn of a database that was restored from a backup at
// an instant. Nobody can tell how far the process that was lost came with them,
// so no tool of theirs is called again; and because it most likely ended them,
// nothing is said about it in their rooms.
func Restore(tx *store.Tx, at time.Time) error {
	if _, err := tx.Exec(`DELETE FROM turn_calls WHERE turn_id IN (SELECT turn_id FROM turns WHERE ` + live + `)`); err != nil {
		return fmt.Errorf("end the turns of the backup: %w", err)
	}
	if _, err := tx.Exec(`DELETE FROM turn_waits`); err != nil {
		return fmt.Errorf("end the turns of the backup: %w", err)
	}
	_, err := tx.Exec(`UPDATE turns SET state = $1, reason = $2, changed_at = $3 WHERE `+live, string(Interrupted), string(ReasonRestored), clock.Stamp(at))
	if err == nil {
		_, err = tx.Exec(`UPDATE subagents SET state = $1, changed_at = $2 WHERE state = $3`, string(SubagentInterrupted), clock.Stamp(at), string(SubagentRunning))
	}
	if err != nil {
		return fmt.Errorf("end the turns of the backup: %w", err)
	}
	return nil
}
