package wire

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// longestAsk bounds what a provider may ask for, so that a nonsensical header cannot overflow a duration.
const longestAsk = 24 * time.Hour

// RetryAfter is how long the response asks to wait: `retry-after-ms`, else `Retry-After` in seconds or as a date.
// 0 when it asks for nothing, or for nothing that makes sense.
func RetryAfter(header http.Header) time.Duration {
	if ms := strings.TrimSpace(header.Get("Retry-After-Ms")); ms != "" {
		if d, ok := amount(ms, time.Millisecond); ok {
			return d
		}
	}
	value := strings.TrimSpace(header.Get("Retry-After"))
	if value == "" {
		return 0
	}
	if d, ok := amount(value, time.Second); ok {
		return d
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	return min(max(time.Until(at), 0), longestAsk)
}

func amount(text string, unit time.Duration) (time.Duration, bool) {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(f) || f < 0 {
		return 0, false
	}
	if f*float64(unit) > float64(longestAsk) {
		return longestAsk, true
	}
	return time.Duration(f * float64(unit)), true
}
