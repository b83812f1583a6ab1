package turn

import (
	"context"
	"time"
)

// typingEvery is how often the typing notice is renewed.
const typingEvery = 15 * time.Second

// typing shows that the agent writes until over is closed.
func (r *response) typing(ctx context.Context, over <-chan struct{}) error {
	if r.e.Typing == nil {
		return nil
	}
	ticker := time.NewTicker(typingEvery)
	defer ticker.Stop()
	defer func() { r.e.Typing(ctx, r.row.account, r.row.room, false) }()
	for {
		r.e.Typing(ctx, r.row.account, r.row.room, true)
		select {
		case <-over:
			return nil
		case <-ticker.C:
		}
	}
}
