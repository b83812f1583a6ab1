package turn

import (
	"context"
	"errors"
	"time"

	"mindroom/internal/store"
)

// write commits, again and again while the store cannot, until the process is
// told to stop: work that was done must not be lost to a full disk.
func (r *response) write(ctx context.Context, fn func(tx *store.Tx) error) error {
	return r.persist(ctx, func() error { return r.e.DB.Write(context.WithoutCancel(ctx), fn) })
}

func (r *response) persist(ctx context.Context, try func() error) error {
	for wait := time.Second; ; wait = min(2*wait, 30*time.Second) {
		err := try()
		var storeErr *store.Error
		if err == nil || !errors.As(err, &storeErr) || !passing(storeErr.Kind) {
			return err
		}
		r.e.Log.Error("a turn cannot be stored; trying again", "turn", r.id, "err", err)
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return err
		}
	}
}

// passing says whether a failure of the store may end by itself or by an operator's hand.
func passing(k store.Kind) bool {
	switch k {
	case store.Full, store.ReadOnly, store.Busy, store.IO:
		return true
	}
	return false
}
