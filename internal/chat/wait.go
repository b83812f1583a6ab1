package chat

import (
	"context"
	"fmt"

	"mindroom/internal/store"
)

// Wait returns when the delivery is over, with its state and, when Sent, its
// event. Its error is ctx's, ErrUnknown or the database's; that a delivery
// failed is a state, not an error.
func (o *Outbox) Wait(ctx context.Context, id string) (eventID string, state State, err error) {
	wake, end := o.wakes.subscribe(deliveryKey(id))
	defer end()
	for {
		var d Delivery
		err := o.db.Read(ctx, func(r *store.Reader) error {
			d, err = Get(r, id)
			return err
		})
		if err != nil {
			return "", "", err
		}
		if d.State.Over() {
			return d.EventID, d.State, nil
		}
		select {
		case <-wake:
		case <-ctx.Done():
			return "", d.State, fmt.Errorf("waiting for delivery %s: %w", id, context.Cause(ctx))
		}
	}
}
