package agentcli

import "time"

const (
	// pollEvery is the least time between two reads of a receipt. A server that holds its answers is asked far less often; one that
	// does not is asked as often as this (spec/agentcli.md 1.5).
	pollEvery = 200 * time.Millisecond
	// longestHold is the most that a server is asked to hold an answer: well within patience, so that holding is never mistaken for
	// silence.
	longestHold = 20 * time.Second
	// grace is how much longer than the time that is left an answer may take.
	grace = 5 * time.Second
)

// seconds is a hold as it is written in a request.
func seconds(hold time.Duration) int {
	return int(min(hold, longestHold).Round(time.Second) / time.Second)
}

// follow reads a receipt again while it may change and time is left, and gives the last one. asked is when last was asked for. No
// read begins at the deadline or later. A failure ends the waiting, not the call: the receipt that is known stays the answer.
func (c *client) follow(last document, asked, deadline time.Time) document {
	for pending(last.status) {
		next := asked.Add(pollEvery)
		if next.After(deadline) {
			next = deadline
		}
		c.slow()
		if !pause(c.ctx, time.Until(next)) {
			c.note("interrupted; the call goes on")
			return last
		}
		left := time.Until(deadline)
		if left <= 0 {
			return last
		}
		asked = time.Now()
		d, f := c.get(last.callID, left, min(patience, left+grace))
		if f != nil {
			c.note("waiting stopped: " + f.text + "; the receipt is the last that is known")
			return last
		}
		last = d
	}
	return last
}
