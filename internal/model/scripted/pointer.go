package scripted

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

// pointed is the value at a JSON pointer (RFC 6901) in a document, with its numbers as they are written; false when
// the document is no JSON or has nothing there. What the runtime adds to a result in a paragraph of its own, as who
// approved the call, is no part of the document.
func pointed(document []byte, pointer string) (json.RawMessage, bool) {
	var current json.RawMessage
	d := json.NewDecoder(bytes.NewReader(document))
	if d.Decode(&current) != nil {
		return nil, false
	}
	if more := document[d.InputOffset():]; len(bytes.TrimSpace(more)) > 0 && !bytes.HasPrefix(more, []byte("\n\n[")) {
		return nil, false
	}
	if pointer == "" {
		return current, true
	}
	for _, step := range strings.Split(pointer, "/")[1:] {
		step = strings.ReplaceAll(strings.ReplaceAll(step, "~1", "/"), "~0", "~")
		var ok bool
		if current, ok = child(current, step); !ok {
			return nil, false
		}
	}
	return current, true
}

func child(parent json.RawMessage, step string) (json.RawMessage, bool) {
	switch parent[0] {
	case '{':
		var object map[string]json.RawMessage
		if json.Unmarshal(parent, &object) != nil {
			return nil, false
		}
		v, ok := object[step]
		return v, ok
	case '[':
		var list []json.RawMessage
		n, err := strconv.Atoi(step)
		if err != nil || json.Unmarshal(parent, &list) != nil || n < 0 || n >= len(list) || strconv.Itoa(n) != step {
			return nil, false
		}
		return list[n], true
	}
	return nil, false
}

// quote is a text as a JSON string, written the way models write it: without escaping <, > and &.
func quote(text string) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(text); err != nil { // A string always encodes.
		return json.RawMessage(`""`)
	}
	return bytes.TrimSpace(b.Bytes())
}
