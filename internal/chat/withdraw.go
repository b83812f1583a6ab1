package chat

import (
	"time"

	"mindroom/internal/store"
)

// Withdraw ends a delivery that nobody began to send, as if it had never been
// wanted. False means that it may be in the room by now, or is over: what is
// there has to be taken back with a redaction. ErrUnknown for no such delivery.
func (o *Outbox) Withdraw(tx *store.Tx, id string) (bool, error) {
	d, err := Get(tx, id)
	if err != nil {
		return false, err
	}
	if d.State != Queued || d.Attempts > 0 {
		return false, nil
	}
	return true, o.move(tx, d, Superseded, "", time.Time{}, "")
}
