package canonical

import (
	"encoding/json"
	"errors"
	"math"
	"testing"
)

func TestFromValue(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		value any
		want  string
	}{
		{nil, `null`},
		{true, `true`},
		{1.0, `1.0`},
		{float32(0.5), `0.5`},
		{1e16, `1e+16`},
		{math.Copysign(0, -1), `-0.0`},
		{int64(math.MinInt64), `-9223372036854775808`},
		{uint64(math.MaxUint64), `18446744073709551615`},
		{uint8(7), `7`},
		{json.Number("1E5"), `100000.0`},
		{json.RawMessage(` {"b":1, "a":2}`), `{"a":2,"b":1}`},
		{"<&\u2028\"", "\"<&\u2028\\\"\""},
		{map[string]any{"b": []any{1, "x"}, "a": map[string]any(nil)}, `{"a":{},"b":[1,"x"]}`},
		{struct {
			Text string `json:"t"`
		}{"<>"}, `{"t":"<>"}`},
		{[]any{EmptyObject}, `[{}]`},
		{[]string{"a"}, `["a"]`},
	} {
		doc, err := FromValue(c.value)
		if err != nil || string(doc.Canonical()) != c.want {
			t.Errorf("%#v: %s, %v; want %s", c.value, doc.Canonical(), err, c.want)
		}
	}
}

func TestFromValueRefuses(t *testing.T) {
	t.Parallel()
	cycle := map[string]any{}
	cycle["self"] = []any{cycle}
	for name, c := range map[string]struct {
		value any
		kind  Kind
	}{
		"nan":             {math.NaN(), KindNaN},
		"infinity":        {[]any{math.Inf(-1)}, KindNaN},
		"not utf-8":       {"a\xff", KindUTF8},
		"cycle":           {cycle, KindDepth},
		"number in parts": {[]any{json.Number("1,2")}, KindTrailing},
		"raw in parts":    {[]any{json.RawMessage("1,2")}, KindTrailing},
		"zero document":   {[]any{Doc{}}, KindSyntax},
		"overflow":        {json.Number("1e400"), KindOverflow},
	} {
		_, err := FromValue(c.value)
		var e *SyntaxError
		if !errors.As(err, &e) || e.Kind != c.kind {
			t.Errorf("%s: %v, want kind %s", name, err, c.kind)
		}
	}
	if _, err := FromValue(func() {}); err == nil {
		t.Error("a function was written as JSON")
	}
}
