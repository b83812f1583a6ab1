package turncli

import (
	"context"
	"encoding/json"

	"mindroom/internal/canonical"
	"mindroom/internal/tool"
)

// settle ends a call's receipt; the first end stands. What it leaves to its command
// is added to the window, which closes in the same moment when nothing is left in
// it (C18).
func (o *Owner) settle(c *call, out tool.Outcome) {
	o.mu.Lock()
	if c.ended() {
		o.mu.Unlock()
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
	o.mu.Unlock()
	o.observe(c, tool.EventEnded)
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
	doc, err := canonical.FromValue(map[string]any{"error": text, "code": string(f.Kind)})
	if err != nil { // the text is no UTF-8
		return s, json.RawMessage(`{"code":"` + string(tool.FaultResult) + `","error":"the call failed, and why cannot be written"}`)
	}
	return s, doc.Canonical()
}

// observe tells whoever watches the response. It is called without mu.
func (o *Owner) observe(c *call, e tool.Event) {
	o.mu.Lock()
	tell := o.work.Observe
	seen := Seen{Call: c.Call, Event: e}
	if e == tool.EventEnded {
		seen.Outcome = c.final
	}
	o.mu.Unlock()
	if tell != nil {
		tell(seen)
	}
}
