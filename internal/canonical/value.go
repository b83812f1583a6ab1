package canonical

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
)

// FromValue makes a document of a Go value. The types encoding/json decodes into (with or without json.Number), Go's integers
// and floats, Doc and json.RawMessage are written so that nothing changes: a float stays a float (1.0, not 1) and a string
// that is not UTF-8 is refused. Any other type is written by encoding/json first, by its rules. A value that cannot be
// written, a cycle included, is an error; a bare nil is the document null, a nil []any is [] and a nil map[string]any is {}.
func FromValue(v any) (Doc, error) {
	text, err := appendValue(nil, v, 0)
	if err != nil {
		return Doc{}, err
	}
	return Parse(text, Limits{})
}

func appendValue(out []byte, v any, depth int) ([]byte, error) {
	if depth > DefaultDepth { // also ends a cycle; Parse would say the same, but only after all memory is used
		return nil, &SyntaxError{Path: "$", Kind: KindDepth, Msg: fmt.Sprintf("value is nested deeper than %d levels or contains itself", DefaultDepth)}
	}
	switch v := v.(type) {
	case nil:
		return append(out, "null"...), nil
	case bool:
		return strconv.AppendBool(out, v), nil
	case string:
		return appendString(out, v), nil
	case float64:
		return appendFinite(out, v)
	case float32:
		return appendFinite(out, float64(v))
	case int:
		return strconv.AppendInt(out, int64(v), 10), nil
	case int64:
		return strconv.AppendInt(out, v, 10), nil
	case uint64:
		return strconv.AppendUint(out, v, 10), nil
	case json.Number:
		return appendText(out, []byte(v))
	case json.RawMessage:
		return appendText(out, v)
	case Doc:
		return appendText(out, []byte(v.canonical))
	case []any:
		return appendSlice(out, v, depth)
	case map[string]any:
		return appendMap(out, v, depth)
	}
	return appendOther(out, v)
}

func appendFinite(out []byte, f float64) ([]byte, error) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return nil, &SyntaxError{Path: "$", Kind: KindNaN, Msg: "NaN and Infinity are not JSON; send null or a string instead"}
	}
	return appendFloat(out, f), nil
}

// appendText takes text only when it is one document by itself; "1,2" would otherwise become two items of the array around it.
func appendText(out, text []byte) ([]byte, error) {
	if _, err := Parse(text, Limits{}); err != nil {
		return nil, err
	}
	return append(out, text...), nil
}

func appendSlice(out []byte, items []any, depth int) (_ []byte, err error) {
	out = append(out, '[')
	for i, item := range items {
		if i > 0 {
			out = append(out, ',')
		}
		if out, err = appendValue(out, item, depth+1); err != nil {
			return nil, err
		}
	}
	return append(out, ']'), nil
}

func appendMap(out []byte, members map[string]any, depth int) (_ []byte, err error) {
	out = append(out, '{')
	first := true
	for key, value := range members { // any order will do, since Parse sorts
		if !first {
			out = append(out, ',')
		}
		first = false
		out = append(appendString(out, key), ':')
		if out, err = appendValue(out, value, depth+1); err != nil {
			return nil, err
		}
	}
	return append(out, '}'), nil
}

func appendOther(out []byte, v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("write %T as JSON: %w", v, err)
	}
	return append(out, bytes.TrimSuffix(b.Bytes(), []byte("\n"))...), nil
}
