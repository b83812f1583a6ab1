package message

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestArguments(t *testing.T) {
	t.Parallel()
	mask := func(s string) string { return strings.ReplaceAll(s, "hunter2", "[secret]") }
	long := strings.Repeat("x", 2000)
	for name, c := range map[string]struct {
		args, want string
		complete   bool
	}{
		"as they are":               {`{"b":[1,2.50],"a":"x < y"}`, `{"a":"x < y","b":[1,2.50]}`, true},
		"a known secret":            {`{"text":"say hunter2"}`, `{"text":"say [secret]"}`, true},
		"a telltale name":           {`{"api_key":"abc","deep":{"password":{"x":1}}}`, `{"api_key":"***","deep":{"password":"***"}}`, true},
		"a long value":              {`{"a":"` + long + `","b":1}`, `{"a":"` + long[:250] + `…","b":1}`, false},
		"a large number keeps form": {`{"n":12345678901234567890}`, `{"n":12345678901234567890}`, true},
		"no object":                 {`[1]`, `{}`, false},
		"no JSON":                   {`{"a"`, `{}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, complete := Arguments(json.RawMessage(c.args), mask, 1200)
			if string(got) != c.want || complete != c.complete {
				t.Errorf("%s, complete %v; want %s, %v", got, complete, c.want, c.complete)
			}
		})
	}
}

// FuzzArguments: the preview is JSON, within its bound, and holds no secret.
func FuzzArguments(f *testing.F) {
	f.Add(`{"a":"hunter2","b":{"c":["hunter2"]}}`, 100)
	f.Add(`{"token":{"x":"hunter2"}}`, 20)
	mask := func(s string) string { return strings.ReplaceAll(s, "hunter2", "") }
	f.Fuzz(func(t *testing.T, args string, bound int) {
		bound = max(2, min(bound, 1<<16))
		got, complete := Arguments(json.RawMessage(args), mask, bound)
		if !json.Valid(got) || !utf8.Valid(got) {
			t.Fatalf("not JSON: %q", got)
		}
		if len(got) > bound {
			t.Fatalf("%d bytes, over %d", len(got), bound)
		}
		var names map[string]any
		_ = json.Unmarshal(got, &names)
		for name, v := range names {
			if s, ok := v.(string); ok && strings.Contains(s, "hunter2") && !strings.Contains(name, "hunter2") {
				t.Fatalf("the secret shows: %s", got)
			}
		}
		if complete && args == "" {
			t.Fatal("nothing is complete")
		}
	})
}
