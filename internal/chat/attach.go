package chat

import (
	"encoding/json"
	"fmt"

	"mindroom/internal/media"
	"mindroom/internal/store"
)

// attached is Attach as the row holds it.
func (d *Delivery) attached() (string, error) {
	if d.Attach.Zero() {
		return "", nil
	}
	raw, err := json.Marshal(d.Attach)
	if err != nil {
		return "", fmt.Errorf("chat: the file of delivery %s: %w", d.ID, err)
	}
	return string(raw), nil
}

func (d *Delivery) readAttached(attach, uploaded string) error {
	if uploaded != "" {
		d.Uploaded = json.RawMessage(uploaded)
	}
	if attach == "" {
		return nil
	}
	if err := json.Unmarshal([]byte(attach), &d.Attach); err != nil {
		return fmt.Errorf("the file of delivery %s: %w", d.ID, err)
	}
	return nil
}

// MarkUploaded records where the file of a delivery is at the homeserver, before
// the message that names it is sent (invariant 11). A later upload of the same
// delivery, for a room that was encrypted meanwhile, takes its place.
func (o *Outbox) MarkUploaded(tx *store.Tx, id string, where json.RawMessage) error {
	n, err := tx.Exec("UPDATE chat_deliveries SET uploaded = $1, updated_at = $2 WHERE id = $3 AND attach <> ''", string(where), o.wall.Stamp(), id)
	if err != nil {
		return fmt.Errorf("uploaded file of %s: %w", id, err)
	}
	if n == 0 {
		return fmt.Errorf("%w with a file: %s", ErrUnknown, id)
	}
	return nil
}

// Held lists the digests of files that deliveries still have to take along.
func Held(q store.Queryer) (digests []string, err error) {
	waiting, err := deliveries(q, "WHERE attach <> '' AND state IN ('queued', 'sending') ORDER BY seq")
	if err != nil {
		return nil, fmt.Errorf("files of deliveries: %w", err)
	}
	for _, d := range waiting {
		digests = append(digests, d.Attach.Digest)
	}
	return digests, nil
}

var _ media.Holder = Held
