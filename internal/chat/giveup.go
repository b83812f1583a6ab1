package chat

import (
	"encoding/json"
	"fmt"
	"time"

	"mindroom/internal/store"
)

// giveUp ends a delivery that cannot be sent, or has it sent without its file
// where whoever said it has something to say instead.
func (o *Outbox) giveUp(tx *store.Tx, d Delivery, kind string) error {
	var instead json.RawMessage
	if o.GivenUp != nil {
		var err error
		if instead, err = o.GivenUp(tx, d, kind); err != nil {
			return fmt.Errorf("give up delivery %s: %w", d.ID, err)
		}
	}
	if instead == nil || d.Attach.Zero() {
		return o.move(tx, d, Failed, "", time.Time{}, kind)
	}
	if object(instead) == nil {
		return fmt.Errorf("chat: what is said instead of %s is not a JSON object", d.ID)
	}
	if _, err := tx.Exec("UPDATE chat_deliveries SET content = $1, attach = '', uploaded = '' WHERE id = $2", string(instead), d.ID); err != nil {
		return fmt.Errorf("delivery %s goes without its file: %w", d.ID, err)
	}
	return o.move(tx, d, Queued, "", time.Time{}, kind)
}
