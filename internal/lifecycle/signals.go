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
