package turncli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A result that a receipt does not hold lies in the workspace as it is; without one
// a text stays a text, cut (C12).
func TestLargeResults(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	_, c := h.window(h.open(nil), "toolu_1")
	for n, test := range []struct {
		call, args, extension, whole string
	}{
		{"kit.repeat", `{"unit":"ü","times":20000}`, ".txt", strings.Repeat("ü", 20000)},
		{"kit.repeat", `{"unit":"\u0001","times":9000}`, ".txt", strings.Repeat("\x01", 9000)},
		{"kit.repeat", `{"unit":"\"","times":16000}`, ".txt", strings.Repeat(`"`, 16000)},
		{"kit.numbers", `{"times":20000}`, ".json", "[" + strings.Repeat("0,", 19999) + "0]"},
	} {
		a := c.call(n, test.call, test.args)
		outcome, _ := a.body["outcome"].(map[string]any)
		saved, _ := outcome["mindroom_tool_output"].(map[string]any)
		path, _ := saved["path"].(string)
		if a.text("status") != "completed" || saved["status"] != "saved_to_file" || filepath.IsAbs(path) || filepath.Ext(path) != test.extension || len(a.raw) > 17<<10 {
			t.Fatalf("%s: %d bytes %.300s", test.call, len(a.raw), a.raw)
		}
		raw, err := os.ReadFile(filepath.Join(h.dir, path))
		must(t, err)
		if string(raw) != test.whole {
			t.Errorf("%s: saved %d bytes of %d", test.call, len(raw), len(test.whole))
		}
	}
	if a := c.call(10, "kit.repeat", fmt.Sprintf(`{"unit":"x","times":%d}`, maxOutcome-2)); len(a.raw) < maxOutcome {
		t.Errorf("a result within the bound: %.300s", a.raw)
	}
	h.spaced = false
	for n, unit := range []string{"x", `\u0001`} {
		a := c.call(20+n, "kit.repeat", `{"unit":"`+unit+`","times":60000}`)
		if text := a.text("outcome"); len(a.raw) > 17<<10 || !strings.HasSuffix(text, shortened) || len(text) < 2000 {
			t.Errorf("without a workspace: %d bytes, %.100s", len(a.raw), text)
		}
	}
	if a := c.call(30, "kit.numbers", `{"times":20000}`); !strings.HasPrefix(a.text("outcome"), "[0,0,") || !strings.HasSuffix(a.text("outcome"), shortened) {
		t.Errorf("numbers without a workspace: %.300s", a.raw)
	}
}

// What a failure says is bounded too: its beginning and its end are kept.
func TestLargeFailures(t *testing.T) {
	t.Parallel()
	for _, unit := range []string{"x", "\x01", "😀", "\xff"} {
		raw := failure("begins "+strings.Repeat(unit, 60<<10)+" ends", "tool_failure")
		if len(raw) > maxOutcome || !strings.Contains(string(raw), `"error":"begins `) || !strings.HasSuffix(string(raw), ` ends"}`) {
			t.Errorf("%q: %d bytes %.100s", unit, len(raw), raw)
		}
	}
}
