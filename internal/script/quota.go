package script

import (
	"sync"
	"time"
)

// window is the length over which new calls are counted (S04).
const window = time.Minute

// quota counts the newly claimed calls of one run in a sliding minute. Polls and
// identical retries never reach it.
type quota struct {
	limit int

	mu    sync.Mutex
	taken []time.Time
}

// take counts one call, or says how long until the next one is free.
func (q *quota) take(now time.Time) (retryAfter time.Duration, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.taken) > 0 && now.Sub(q.taken[0]) >= window {
		q.taken = q.taken[1:]
	}
	if len(q.taken) >= q.limit {
		return window - now.Sub(q.taken[0]), false
	}
	q.taken = append(q.taken, now)
	return 0, true
}

// giveBack uncounts the newest call, whose claim could not be stored.
func (q *quota) giveBack() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if n := len(q.taken); n > 0 {
		q.taken = q.taken[:n-1]
	}
}
