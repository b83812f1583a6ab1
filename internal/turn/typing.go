package turn

import (
	"context"
	"time"
)

const (
	// typingEvery is how often the typing notice is renewed.
	typingEvery = 15 * time.Second
	// typingOff bounds taking it back.
	typingOff = 5 * time.Second
)

// typing shows that the agent writes until its context ends.
func (r *response) typing(ctx context.Context) error {
	if r.e.Typing == nil {
		return nil
	}
	ticker := time.NewTicker(typingEvery)
	defer ticker.Stop()
	defer func() {
		off, cancel := context.WithTimeout(context.WithoutCancel(ctx), typingOff)
		defer cancel()
		r.e.Typing(off, r.row.account, r.row.room, false)
	}()
	for {
		r.e.Typing(ctx, r.row.account, r.row.room, true)
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}
