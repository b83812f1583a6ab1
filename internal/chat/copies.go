package chat

import (
	"encoding/json"

	"mindroom/internal/store"
)

// copyReason is what the room is told of a copy that is taken back.
var copyReason = json.RawMessage(`{"reason":"sent twice by the homeserver"}`)

// takeBack has a second event of a sent message redacted. A homeserver makes one
// when it forgets a transaction, or when an attempt that a dead process left
// under way meets the next process's: Dendrite answers both. So has a second
// reaction, which would stay when the first is redacted. Copies of edits and
// redactions show nothing.
func (o *Outbox) takeBack(tx *store.Tx, d Delivery, eventID string) error {
	if d.Kind != KindMessage && d.Kind != KindReaction || d.EventID == "" || d.EventID == eventID {
		return nil
	}
	_, err := o.Enqueue(tx, Delivery{
		ID: "copy " + eventID, Conversation: Conversation{Account: d.Account, Room: d.Room},
		Kind: KindRedaction, Content: copyReason, Target: Target{Event: eventID},
	})
	return err
}
