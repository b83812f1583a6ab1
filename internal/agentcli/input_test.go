package agentcli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestArguments(t *testing.T) {
	t.Parallel()
	full := `{"a":"` + strings.Repeat("x", maxDocument-8) + `"}`
	path := filepath.Join(t.TempDir(), "arguments.json")
	if err := os.WriteFile(path, []byte(` {"b":3.0,"a":3} `), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		given []source
		stdin string
		want  string
		wrong string
	}{
		{"none", nil, "unread", `{}`, ""},
		{"literal", []source{literal(`{"b":1,"a":[1e2,"\u00e9"]}`)}, "", `{"a":[100.0,"é"],"b":1}`, ""},
		{"file", []source{file(path)}, "", `{"a":3,"b":3.0}`, ""},
		{"standard input", []source{standardInput("")}, `{"x":null}`, `{"x":null}`, ""},
		{"full", []source{standardInput("")}, full, full, ""},
		{"one byte too many", []source{standardInput("")}, full + " ", "", "over 65536 bytes"},
		{"200 KiB", []source{literal(`{"a":"` + strings.Repeat("x", 200<<10) + `"}`)}, "", "", "over 65536 bytes"},
		{"empty", []source{literal("")}, "", "", "strict JSON within 64 KiB"},
		{"array", []source{literal("[]")}, "", "", "must be a JSON object"},
		{"text", []source{literal(`"a"`)}, "", "", "must be a JSON object"},
		{"half", []source{literal(`{"a":`)}, "", "", "strict JSON within 64 KiB"},
		{"twice", []source{literal(`{"a":{"k":1,"k":1}}`)}, "", "", "strict JSON within 64 KiB: invalid JSON at $.a.k"},
		{"NaN", []source{literal(`{"a":NaN}`)}, "", "", "strict JSON within 64 KiB"},
		{"overflow", []source{literal(`{"a":1e999}`)}, "", "", "strict JSON within 64 KiB"},
		{"half a character", []source{literal(`{"a":"\ud800"}`)}, "", "", "strict JSON within 64 KiB"},
		{"no UTF-8", []source{literal("{\"a\":\"\xff\"}")}, "", "", "strict JSON within 64 KiB"},
		{"no file", []source{file(path + "-secret")}, "", "", "cannot read the input"},
		{"no name", []source{file("")}, "", "", "cannot read the input"},
		{"a folder", []source{file(filepath.Dir(path))}, "", "", "cannot read the input"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			doc, f := arguments(c.given, strings.NewReader(c.stdin))
			if c.wrong == "" {
				if f != nil || string(doc.Canonical()) != c.want {
					t.Errorf("%.80s, %v", doc.Canonical(), f)
				}
				return
			}
			if f == nil || f.exit != ExitInvalid || !strings.Contains(f.text, c.wrong) || strings.Contains(f.text+f.hint, "secret") {
				t.Errorf("%+v, want %q", f, c.wrong)
			}
		})
	}
}
