package turn

import (
	"time"

	"mindroom/internal/config"
)

// maxEdits is how many times one answer may be edited, its end included. A
// room with thousands of edits becomes unusable in many clients.
const maxEdits = 60

const (
	// editFloor is the least time between two edits, whatever forces them.
	editFloor = 350 * time.Millisecond
	// Between these two the number of new characters that is worth an edit
	// grows along with the interval.
	fewestCharacters, mostCharacters = 48, 240
	// easyEdits may be spent as they come; after them every further one costs
	// more waiting, so that a long answer keeps moving to its end.
	easyEdits = 30
)

// pace is what the next edit of an answer depends on.
type pace struct {
	config.Streaming
	// began is when the answer began, last its newest edit, changed its newest
	// change that no edit has shown.
	began, last, changed time.Time
	// fresh is the number of characters no edit has shown.
	fresh int
	// forced is set by the start or the end of a tool call.
	forced bool
	// pending is set when anything changed since the last edit.
	pending bool
	edits   int
}

// due says when the next edit may be sent; false when there will be none
// without a further change. The answer is never before now.
func (p pace) due(now time.Time) (time.Time, bool) {
	if !p.pending || p.edits >= maxEdits-1 { // one is kept for the end
		return time.Time{}, false
	}
	earliest := p.last.Add(max(editFloor, p.penalty()))
	at := p.changed.Add(p.MaxIdle)
	if p.forced {
		at = earliest
	} else if p.fresh >= p.characters(now) {
		if full := p.last.Add(p.interval(now)); full.Before(at) {
			at = full
		}
	}
	return latest(now, earliest, at), true
}

// ramp is how far the answer has come from lively to steady, from 0 to 1.
func (p pace) ramp(now time.Time) float64 {
	if p.IntervalRamp <= 0 {
		return 1
	}
	return min(1, max(0, float64(now.Sub(p.began))/float64(p.IntervalRamp)))
}

func (p pace) interval(now time.Time) time.Duration {
	return p.MinUpdateInterval + time.Duration(p.ramp(now)*float64(p.UpdateInterval-p.MinUpdateInterval))
}

func (p pace) characters(now time.Time) int {
	return fewestCharacters + int(p.ramp(now)*(mostCharacters-fewestCharacters))
}

func (p pace) penalty() time.Duration {
	return time.Duration(max(0, p.edits-easyEdits)) * max(p.UpdateInterval, time.Second)
}

func latest(times ...time.Time) time.Time {
	out := times[0]
	for _, t := range times[1:] {
		if t.After(out) {
			out = t
		}
	}
	return out
}
