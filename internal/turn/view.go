package turn

import (
	"encoding/json"
	"slices"
	"strings"

	"mindroom/internal/message"
)

// view is what the room sees of an answer: text and calls in their order. It
// is a plain value; whoever shares one guards it.
type view struct {
	Pieces []piece `json:"pieces,omitempty"`
}

// piece is one paragraph of text or one call.
type piece struct {
	Text string              `json:"text,omitempty"`
	Call *message.TraceEntry `json:"call,omitempty"`
	// Ref is the call's id within the turn, or the whole reference of a call made
	// inside another; empty for text.
	Ref string `json:"ref,omitempty"`
	// Under is the Ref of the turn's own call inside which this one was made.
	Under string `json:"under,omitempty"`
}

// write continues the text, in a new paragraph when a call or a break came last.
func (v *view) write(text string) {
	if n := len(v.Pieces); n > 0 && v.Pieces[n-1].Call == nil {
		v.Pieces[n-1].Text += text
		return
	}
	v.Pieces = append(v.Pieces, piece{Text: text})
}

// pause ends a paragraph, so that the words of two model calls do not run together.
func (v *view) pause() {
	if n := len(v.Pieces); n > 0 && v.Pieces[n-1].Call == nil && v.Pieces[n-1].Text != "" {
		v.Pieces = append(v.Pieces, piece{})
	}
}

func (v *view) started(ref, name string, args json.RawMessage, mask message.Mask) {
	entry := message.Started(name, args, mask)
	v.Pieces = append(v.Pieces, piece{Ref: ref, Call: &entry})
}

// enclosed shows a call that was made inside another, once, after what that one
// made before. parent is the Ref of a piece; one that is not there puts it last.
func (v *view) enclosed(parent, ref, name string, args json.RawMessage, mask message.Mask) {
	under := parent
	for _, p := range v.Pieces {
		if p.Ref == ref {
			return
		}
		if p.Ref == parent && p.Under != "" {
			under = p.Under
		}
	}
	at := len(v.Pieces)
	for i, p := range v.Pieces {
		if p.Call != nil && (p.Ref == under || p.Under == under) {
			at = i + 1
		}
	}
	entry := message.Started(name, args, mask)
	v.Pieces = slices.Insert(slices.Clone(v.Pieces), at, piece{Ref: ref, Under: under, Call: &entry})
}

func (v *view) completed(ref, result string, mask message.Mask) {
	for i := range v.Pieces {
		if v.Pieces[i].Ref == ref && v.Pieces[i].Call != nil {
			// A new entry: the old one may be in a content that is being sent.
			entry := v.Pieces[i].Call.Completed(result, mask)
			v.Pieces[i].Call = &entry
		}
	}
}

// clone is a copy that later changes do not reach.
func (v *view) clone() view { return view{Pieces: slices.Clone(v.Pieces)} }

// text is the answer without its calls.
func (v *view) text() string { return v.render(false) }

// render is the answer as Markdown, with one line a call if calls is set.
func (v *view) render(calls bool) string {
	var parts []string
	n, lines := 0, false
	for _, p := range v.Pieces {
		if p.Call == nil {
			if text := strings.TrimSpace(p.Text); text != "" {
				parts, lines = append(parts, text), false
			}
			continue
		}
		n++
		if !calls {
			continue
		}
		marker := message.Marker(p.Call.Tool, n, p.Call.Type == "tool_call_started")
		if lines {
			parts[len(parts)-1] += "\n" + marker
		} else {
			parts = append(parts, marker)
		}
		lines = true
	}
	return strings.Join(parts, "\n\n")
}

// entries are the calls in their order, for the structured trace.
func (v *view) entries() []message.TraceEntry {
	var entries []message.TraceEntry
	for _, p := range v.Pieces {
		if p.Call != nil {
			entries = append(entries, *p.Call)
		}
	}
	return entries
}

// settle ends every call that still reads as running, for an answer that ends
// while they do.
func (v *view) settle(result string) {
	for _, p := range v.Pieces {
		if p.Call != nil && p.Call.Type == "tool_call_started" {
			v.completed(p.Ref, result, nil)
		}
	}
}
