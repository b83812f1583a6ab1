package message

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// shownValue bounds one cut value, in characters.
const shownValue = 250

// Arguments is the JSON object args as a person may see it: what mask knows as
// a secret and what a name gives away as one is replaced. Over bound bytes it is
// cut: long values first, then whole arguments from the end, and complete is
// false. Numbers keep their spelling. Arguments that are no object become {} and
// are not complete.
func Arguments(args json.RawMessage, mask Mask, bound int) (shown json.RawMessage, complete bool) {
	d := json.NewDecoder(bytes.NewReader(args))
	d.UseNumber()
	var object map[string]any
	if d.Decode(&object) != nil || object == nil {
		return json.RawMessage(`{}`), false
	}
	fields := ordered(object)
	whole := write(fields, func(f field) any { return hide(f.name, f.value, mask) })
	if len(whole) <= bound {
		return whole, true
	}
	cut := func(f field) any {
		raw := encode(hide(f.name, f.value, mask))
		if utf8.RuneCount(raw) <= shownValue {
			return json.RawMessage(raw)
		}
		text := string(raw)
		if s, ok := f.value.(string); ok && !telltale(f.name) {
			text = masked(s, mask)
		}
		return string([]rune(text)[:min(shownValue, utf8.RuneCountInString(text))]) + "…"
	}
	for n := len(fields); n > 0; n-- {
		if short := write(fields[:n], cut); len(short) <= bound {
			return short, false
		}
	}
	return json.RawMessage(`{}`), false
}

type field struct {
	name  string
	value any
}

// ordered are the fields by name, the order in which JSON is written.
func ordered(object map[string]any) []field {
	fields := make([]field, 0, len(object))
	for _, name := range slices.Sorted(maps.Keys(object)) {
		fields = append(fields, field{name, object[name]})
	}
	return fields
}

func write(fields []field, show func(field) any) json.RawMessage {
	out := make(map[string]any, len(fields))
	for _, f := range fields {
		out[f.name] = show(f)
	}
	return encode(out)
}

// encode writes JSON that a person reads: < and & stay what they are.
func encode(v any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil { // it was decoded from JSON
		return json.RawMessage(`{}`)
	}
	return bytes.TrimSpace(b.Bytes())
}

// hide replaces what is secret in a value, at any depth.
func hide(name string, value any, mask Mask) any {
	if telltale(name) {
		return "***"
	}
	switch v := value.(type) {
	case string:
		return masked(v, mask)
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = hide("", item, mask)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, item := range v {
			out[key] = hide(key, item, mask)
		}
		return out
	}
	return value
}

func masked(s string, mask Mask) string {
	if mask != nil {
		s = mask(s)
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}
