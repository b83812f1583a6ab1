package turncli

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"mindroom/internal/tool"
)

// A schema from outside bounds neither its names nor its values: an item of a list
// is bounded all the same, or it would end every list and search (C04).
func TestSignaturesAreBounded(t *testing.T) {
	t.Parallel()
	long := strings.Repeat(`"`, 14<<10)
	many := map[string]any{}
	for i := range signedArguments {
		many[fmt.Sprintf("%02d%s", i, strings.Repeat("x", 100))] = map[string]any{"type": "string"}
	}
	for name, c := range map[string]struct {
		properties map[string]any
		want       string
	}{
		"values": {map[string]any{"size": map[string]any{"enum": []any{long, "small"}}}, "f(size?: enum)"},
		"a list": {map[string]any{"size": map[string]any{"type": "array", "items": map[string]any{"enum": []any{long}}}}, "f(size?: enum[])"},
		"a name": {map[string]any{strings.Repeat("n", 60<<10): map[string]any{"type": "string"}}, "f(…)"},
		"a type": {map[string]any{"a": map[string]any{"type": long}}, "f(…)"},
		"many":   {many, ""},
	} {
		raw, err := json.Marshal(map[string]any{"type": "object", "properties": c.properties})
		must(t, err)
		f := &tool.Function{Name: tool.Name{Toolkit: "kit", Function: "f"}, Description: strings.Repeat("ü", 9000), Schema: raw}
		if got := signature(f); c.want != "" && got != c.want || !strings.HasSuffix(got, ")") {
			t.Errorf("%s: %.80s", name, got)
		}
		if n := encoded(itemOf(f)); n > 4<<10 {
			t.Errorf("%s: an item has %d bytes", name, n)
		}
	}
}
