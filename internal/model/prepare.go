package model

import "slices"

// lostResult is what a model reads for a call whose result was never recorded. It claims neither success nor
// failure, because nobody knows.
const lostResult = "No result was recorded for this call. It may or may not have taken effect; do not repeat it without checking."

// Prepare makes a transcript fit for one provider and model without changing the original: opaque parts of any other
// maker are dropped, every call is followed directly by exactly one result in the order of the calls (a missing one
// is supplied, a stray or second one dropped), and messages left empty disappear. See the sentences 3 and 4 of the
// package.
func Prepare(messages []Message, provider, model string) []Message {
	var out []Message
	for i := 0; i < len(messages); i++ {
		m := messages[i]
		if m.Role == RoleTool { // Results that answer a call were taken with their call, below.
			continue
		}
		m.Parts = keep(m.Parts, provider, model)
		if len(m.Parts) == 0 {
			continue
		}
		out = append(out, m)
		if calls := m.Calls(); m.Role == RoleAssistant && len(calls) > 0 {
			var results []Result
			for i+1 < len(messages) && messages[i+1].Role == RoleTool {
				i++
				results = append(results, messages[i].Results()...)
			}
			out = append(out, answer(calls, results))
		}
	}
	return out
}

func keep(parts []Part, provider, model string) []Part {
	kept := make([]Part, 0, len(parts))
	for _, p := range parts {
		if p.Kind == PartOpaque && (p.Opaque.Provider != provider || p.Opaque.Model != model) {
			continue
		}
		kept = append(kept, p)
	}
	return kept
}

func answer(calls []Call, results []Result) Message {
	m := Message{Role: RoleTool}
	for _, c := range calls {
		i := slices.IndexFunc(results, func(r Result) bool { return r.CallID == c.ID })
		if i < 0 {
			m.Parts = append(m.Parts, ResultPart(Result{CallID: c.ID, Name: c.Name, Text: lostResult, IsError: true}))
			continue
		}
		m.Parts = append(m.Parts, ResultPart(results[i]))
	}
	return m
}

// MoveResultMedia takes the media out of tool results and puts it into the user message that follows, or into a new
// one, for providers whose tool results hold text only. The original is not changed. A line of text says which
// result the media belongs to.
func MoveResultMedia(messages []Message) []Message {
	var out []Message
	var carried []Part
	for _, m := range messages {
		if len(carried) > 0 && m.Role != RoleTool {
			if m.Role == RoleUser {
				m.Parts = append(carried, m.Parts...)
			} else {
				out = append(out, Message{Role: RoleUser, Parts: carried})
			}
			carried = nil
		}
		if m.Role == RoleTool {
			var moved []Part
			m, moved = withoutMedia(m)
			carried = append(carried, moved...)
		}
		out = append(out, m)
	}
	if len(carried) > 0 {
		out = append(out, Message{Role: RoleUser, Parts: carried})
	}
	return out
}

func withoutMedia(m Message) (Message, []Part) {
	stripped := Message{Role: m.Role, Parts: make([]Part, 0, len(m.Parts))}
	var moved []Part
	for _, p := range m.Parts {
		if p.Kind == PartResult && len(p.Result.Media) > 0 {
			moved = append(moved, TextPart("Media returned by "+p.Result.Name+":"))
			for _, ref := range p.Result.Media {
				moved = append(moved, MediaPart(ref))
			}
			r := *p.Result
			r.Media = nil
			p = ResultPart(r)
		}
		stripped.Parts = append(stripped.Parts, p)
	}
	return stripped, moved
}
