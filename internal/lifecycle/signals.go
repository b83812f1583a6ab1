package lifecycle

import (
	"context"
	"os"
	"time"
)

// RunUntil waits for the first signal, or for the group to end by itself, then
// stops the group within total and returns what Stop said.
//
// A second signal calls exit(130) at once: whoever asks twice is done waiting
// (design seams, "Ends"). What was durable stays; the rest is for recovery.
func (g *Group) RunUntil(signals <-chan os.Signal, total time.Duration, exit func(code int)) error {
	select {
	case <-signals:
	case <-g.ctx.Done():
	}
	over := make(chan struct{})
	watching := make(chan struct{})
	go func() {
		defer close(watching)
		select {
		case <-signals:
			exit(130)
		case <-over:
		}
	}()
	ctx, cancel := context.WithTimeout(context.Background(), total)
	defer cancel()
	err := g.Stop(ctx)
	close(over)
	<-watching
	return err
}

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
