package matrix

import (
	"context"
	"fmt"
	"log/slog"
	"time"
)

// awaitHomeserver returns when the homeserver answers. It asks every two
// seconds, because a homeserver tells nobody when it is up, and says so in the
// log now and then.
func (n *Network) awaitHomeserver(ctx context.Context, log *slog.Logger) error {
	const every, sayEvery = 2 * time.Second, 15
	api, err := n.client("", "", "")
	if err != nil {
		return err
	}
	for tried := 0; ; tried++ {
		probe, cancel := context.WithTimeout(ctx, 5*time.Second)
		_, err := api.Versions(probe)
		cancel()
		if err == nil {
			return nil
		}
		if ctx.Err() == nil && tried%sayEvery == 0 {
			log.Warn("waiting for the homeserver", "url", n.cfg.Homeserver, "kind", KindOf(judge(ctx, "ask for versions", err)))
		}
		if !pause(ctx, every) {
			return fmt.Errorf("wait for the homeserver at %s: %w", n.cfg.Homeserver, context.Cause(ctx))
		}
	}
}
