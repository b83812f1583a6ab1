package message

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Bounds of previews, in characters, and of a whole trace.
const (
	maxArgument  = 250
	maxArguments = 1200
	maxResult    = 500
	// Older entries are dropped beyond either, and content_truncated says so.
	maxTrace      = 100
	maxTraceBytes = 12_000
)

// Trace is the structured list of the calls behind an answer (KeyToolTrace).
type Trace struct {
	Version   int          `json:"version"`
	Events    []TraceEntry `json:"events"`
	Truncated bool         `json:"content_truncated,omitempty"`
}

// TraceEntry is one call. A running call has type tool_call_started; when it
// ends, its entry becomes tool_call_completed.
type TraceEntry struct {
	Type      string `json:"type"`
	Tool      string `json:"tool_name"`
	Arguments string `json:"args_preview,omitempty"`
	Result    string `json:"result_preview,omitempty"`
	Truncated bool   `json:"truncated,omitempty"`
}

// Mask hides secrets in a preview; nil hides nothing.
type Mask func(string) string

// Started is the entry of a call that runs. args is the JSON object the call
// was given.
func Started(tool string, args json.RawMessage, mask Mask) TraceEntry {
	preview, cut := arguments(args, mask)
	return TraceEntry{Type: "tool_call_started", Tool: tool, Arguments: preview, Truncated: cut}
}

// Completed is e with its result.
func (e TraceEntry) Completed(result string, mask Mask) TraceEntry {
	e.Type = "tool_call_completed"
	preview, cut := preview(result, maxResult, mask)
	e.Result, e.Truncated = preview, e.Truncated || cut
	return e
}

// NewTrace bounds the trace, keeping the newest entries.
func NewTrace(entries []TraceEntry) Trace {
	size, from := 0, len(entries)
	for from > 0 && len(entries)-from < maxTrace {
		e := entries[from-1]
		if size += len(e.Tool) + len(e.Arguments) + len(e.Result) + 120; size > maxTraceBytes {
			break
		}
		from--
	}
	return Trace{Version: 2, Events: entries[from:], Truncated: from > 0}
}

// Marker is the line in the body for the n-th call, counted from 1.
func Marker(tool string, n int, running bool) string {
	s := fmt.Sprintf("🔧 `%s` [%d]", strings.ReplaceAll(tool, "`", "'"), n)
	if running {
		s += " ⏳"
	}
	return s
}

// arguments writes "name=value, …" in the order of the names.
func arguments(args json.RawMessage, mask Mask) (string, bool) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(args, &fields) != nil {
		return preview(string(args), maxArguments, mask)
	}
	names := slices.Sorted(maps.Keys(fields))
	parts, cut := make([]string, 0, len(names)), false
	for _, name := range names {
		value := string(fields[name])
		if telltale(name) {
			value = "***"
		}
		p, c := preview(value, maxArgument, mask)
		parts, cut = append(parts, name+"="+p), cut || c
	}
	p, c := preview(strings.Join(parts, ", "), maxArguments, mask)
	return p, cut || c
}

// telltale: a name that says that its value is a secret.
func telltale(name string) bool {
	name = strings.ToLower(name)
	for _, s := range []string{"password", "passwd", "secret", "token", "api_key", "apikey", "authorization", "credential", "private_key", "cookie"} {
		if strings.Contains(name, s) {
			return true
		}
	}
	return false
}

// preview masks first, because a secret that was cut is no longer recognised.
func preview(s string, bound int, mask Mask) (string, bool) {
	if mask != nil {
		s = mask(s)
	}
	s = strings.ToValidUTF8(s, "\uFFFD")
	r := []rune(s)
	cut := len(r) > bound
	if cut {
		s = string(r[:bound-1]) + "…"
	}
	// A zero-width space keeps any client from seeing a name here. One that is
	// there already is not doubled, so a preview of a preview is the same.
	s = strings.ReplaceAll(s, "@\u200b", "@")
	return strings.ReplaceAll(s, "@", "@\u200b"), cut
}
