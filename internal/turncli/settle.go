package turncli

import (
	"context"
	"encoding/json"
	"strings"

	"mindroom/internal/canonical"
	"mindroom/internal/excerpt"
	"mindroom/internal/tool"
)

// settle ends a call's receipt; the first end stands. What it leaves to its command
// is added to the window, which closes in the same moment when nothing is left in
// it (C18).
func (o *Owner) settle(c *call, out tool.Outcome) {
	o.mu.Lock()
	ended := c.ended()
	o.mu.Unlock()
	if ended {
		return
	}
	// Whoever shows the response has heard of it before its command goes on.
	o.observe(Seen{Call: c.Call, Event: tool.EventEnded, Outcome: out})
	o.mu.Lock()
	defer o.mu.Unlock()
	if c.ended() {
		return
	}
	_, stop := context.Cause(c.ctx).(stopped)
	c.final = out
	c.status, c.outcome = told(out, stop, c.began)
	c.cancel(nil)
	close(c.done)
	o.unfinished--
	if w := c.window; w != nil {
		if out.State == tool.StateCompleted && !w.told {
			w.media = append(w.media, out.Media...)
		}
		w.active--
		o.shut(w)
	}
	o.wake()
}

// told is how a receipt shows an outcome (C10, C16): what was interrupted is never
// said to have had no effect.
func told(out tool.Outcome, stop, began bool) (status, json.RawMessage) {
	if out.State == tool.StateCompleted {
		return completed, out.Value
	}
	f := out.Fault
	if f == nil {
		f = tool.Indeterminate("Nobody said how it ended.").Fault
	}
	text, s := f.Message, failed
	if out.State == tool.StateCancelled || f.Kind == tool.FaultCancelled || stop {
		s = cancelled
		if began && out.State != tool.StateIndeterminate {
			text += " (It was cancelled while it ran, and may have had effects.)"
		}
	}
	return s, failure(text, f.Kind)
}

// failure is the outcome of a call that did not complete: what a body says of its
// failure may be as long as what it printed.
func failure(text string, kind tool.FaultKind) json.RawMessage {
	text = strings.ToValidUTF8(text, "\uFFFD")
	for n := maxOutcome; ; n /= 2 {
		said := text
		if len(said) > n { // its beginning says what it is, its end why
			said = excerpt.Head(text, n/2) + "\n…\n" + excerpt.Tail(text, n/2)
		}
		doc, err := canonical.FromValue(map[string]any{"error": said, "code": string(kind)})
		if raw := doc.Canonical(); err == nil && len(raw) <= maxOutcome || n == 0 {
			return raw
		}
	}
}

// observe tells whoever watches the response. It is called without mu.
func (o *Owner) observe(s Seen) {
	o.mu.Lock()
	tell := o.work.Observe
	o.mu.Unlock()
	if tell != nil {
		tell(s)
	}
}
