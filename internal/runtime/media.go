package runtime

import (
	"context"
	"time"

	"mindroom/internal/chat"
	"mindroom/internal/lifecycle"
	"mindroom/internal/media"
	"mindroom/internal/turn"
)

// mediaInterval is how often old files are looked for (spec/runtime.md 3.16).
const mediaInterval = time.Hour

// keepMedia deletes files whose retention is over, but for those that a live turn
// or a delivery still needs.
func (p *primary) keepMedia(ctx context.Context) error {
	return lifecycle.Every(ctx, mediaInterval, func(ctx context.Context) error {
		n, err := p.media.Prune(ctx, media.DefaultRetention, chat.Held, turn.Held)
		switch {
		case err != nil && ctx.Err() == nil:
			p.log.Error("old files could not be deleted; trying again in an hour", "error", err)
		case n > 0:
			p.log.Info("old files were deleted", "files", n)
		}
		return nil
	})
}
