package matrixmessage

import (
	"sync"
	"time"

	"mindroom/internal/tool"
)

// An agent may act maxActions times in any window for one requester in one
// room. Every action counts once, and every file it sends once more.
const (
	maxActions = 12
	window     = 30 * time.Second
	// sweepAt is the number of keys above which idle ones are looked for.
	sweepAt = 256
)

type key struct{ agent, requester, room string }

// rate counts recent actions. It lives in memory: after a restart the window
// begins anew.
type rate struct {
	mu     sync.Mutex
	recent map[key][]time.Time
}

func newRate() *rate { return &rate{recent: map[key][]time.Time{}} }

// take counts an action of that weight, or refuses it and says how long to wait.
func (r *rate) take(k key, weight int) *tool.Fault {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	if len(r.recent) >= sweepAt {
		for other, times := range r.recent {
			if len(live(times, now)) == 0 {
				delete(r.recent, other)
			}
		}
	}
	times := live(r.recent[k], now)
	if over := len(times) + weight - maxActions; over > 0 {
		r.recent[k] = times
		wait := times[min(over, len(times))-1].Add(window).Sub(now).Round(time.Second)
		return &tool.Fault{Kind: tool.FaultQuota, Retryable: true,
			Message: "more than 12 Matrix actions in 30 seconds in this room; wait " + max(wait, time.Second).String()}
	}
	for range weight {
		times = append(times, now)
	}
	r.recent[k] = times
	return nil
}

// live is the part of times, oldest first, that still counts.
func live(times []time.Time, now time.Time) []time.Time {
	for len(times) > 0 && now.Sub(times[0]) >= window {
		times = times[1:]
	}
	return times
}
