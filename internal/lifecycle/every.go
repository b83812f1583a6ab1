package lifecycle

import (
	"context"
	"time"
)

// Every calls fn once each interval until ctx ends or fn fails, and returns
// fn's error or nil. It waits for fn to return before it counts the next
// interval, so that slow passes never overlap. It exists for passes that repair
// what an event lost; nothing that an event can wake should use it.
func Every(ctx context.Context, interval time.Duration, fn func(ctx context.Context) error) error {
	timer := time.NewTimer(interval)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-timer.C:
		}
		if err := fn(ctx); err != nil {
			return err
		}
		timer.Reset(interval)
	}
}
