package chat

import (
	"errors"
	"fmt"
	"time"

	"mindroom/internal/clock"
	"mindroom/internal/store"
)

// Restore tells the rows of a database that it was restored from a backup at an
// instant: from then on what was said before it is answered with care (see
// Restored). Edits in progress are not sent any more, because what they would
// take back has long been shown; every other delivery that waited goes out under
// its old transaction id, unless the homeserver says that it was sent.
func Restore(tx *store.Tx, at time.Time) error {
	// What was heard in the very millisecond of the restore was heard before it, and
	// says nothing of what the lost process did.
	ms := at.UnixMilli()
	if _, err := tx.Exec(`UPDATE chat_sync SET restored_ts = $1, updated_at = CASE WHEN updated_at > $2 THEN $2 ELSE updated_at END`,
		ms, clock.Stamp(time.UnixMilli(ms))); err != nil {
		return fmt.Errorf("mark the journal as restored: %w", err)
	}
	if _, err := tx.Exec(`UPDATE chat_deliveries SET state = 'superseded', updated_at = $1 WHERE progress AND state IN ('queued', 'sending')`, clock.Stamp(at)); err != nil {
		return fmt.Errorf("mark the outbox as restored: %w", err)
	}
	return nil
}

// Restored is when the account's rows were last restored from a backup, in
// milliseconds since 1970, 0 for never; and whether the account has heard since
// then what was said in between. Until it has, nobody can tell which messages
// were answered, and which deliveries sent, by the process that was lost.
func (j *Journal) Restored(q store.Queryer, account string) (at int64, heard bool, err error) {
	var updated string
	err = q.QueryRow(`SELECT restored_ts, updated_at FROM chat_sync WHERE account = $1`, account).Scan(&at, &updated)
	if errors.Is(err, store.ErrNoRows) {
		return 0, true, nil
	}
	if err != nil {
		return 0, false, fmt.Errorf("whether %s was restored: %w", account, err)
	}
	return at, at == 0 || updated > clock.Stamp(time.UnixMilli(at)), nil
}

// SpokeAfter reports whether the account that heard an event has said something
// after it in a conversation of its room; what it said in an encrypted room
// counts though nobody can read it any more.
func (j *Journal) SpokeAfter(q store.Queryer, e Event, threadRoot string) (spoke bool, err error) {
	err = q.QueryRow(`SELECT EXISTS (SELECT 1 FROM chat_events WHERE account = $1 AND room_id = $2 AND thread_root = $3 AND sender = $1
			AND seq > $4 AND replaces = '' AND type IN ('m.room.message', 'm.room.encrypted'))`,
		e.Account, e.Room, threadRoot, e.Seq).Scan(&spoke)
	if err != nil {
		return false, fmt.Errorf("what %s said after %s: %w", e.Account, e.EventID, err)
	}
	return spoke, nil
}
