package matrix

import (
	"context"
	"math/rand/v2"
	"time"
)

const (
	firstBackoff = 500 * time.Millisecond
	maxBackoff   = time.Minute
)

// backoff is the pause before try number tried+1 (tried counts from 1): it
// doubles from half a second to a minute. Half of it is random, so that
// accounts which failed together do not come back together. What the
// homeserver asked for (asked > 0) is a lower bound.
func backoff(tried int, asked time.Duration) time.Duration {
	d := maxBackoff
	if tried < 1 {
		tried = 1
	}
	if tried < 8 {
		d = firstBackoff << (tried - 1)
	}
	d = d/2 + rand.N(d/2)
	if asked > 0 {
		return asked + rand.N(d/4+1)
	}
	return d
}

// pause waits for d; it reports false when the context ended first.
func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
