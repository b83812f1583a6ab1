package script

import (
	"strings"
	"testing"
	"unicode/utf8"

	"mindroom/internal/canonical"
)

// FuzzParseRequest: whatever comes, the parser answers without failing inside;
// what it refuses has a detail that can be written, and what it takes is bounded
// and has the digest of its arguments alone.
func FuzzParseRequest(f *testing.F) {
	for _, seed := range []string{
		`{"run_id":"script-0","call_id":"c","toolkit_name":"t","function_name":"f","arguments":{"a":1.0}}`,
		`{"run_id":"r","call_id":"c","toolkit_name":"t","function_name":"f"}`,
		`{"run_id":"r","run_id":"s","call_id":"c","toolkit_name":"t","function_name":"f","arguments":{"a":1,"a":2}}`,
		`{"run_id":7}`, `[]`, `null`, ``, `{`, `{"arguments":NaN}`, "{\"run_id\":\"\xff\"}", `{"run_id":"\ud800"}`,
		strings.Repeat("[", 5000), `{"run_id":"r","call_id":"c","toolkit_name":"t","function_name":"f","arguments":null,"x":1}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		req, detail := parseRequest(raw)
		if detail != "" {
			if !utf8.ValidString(detail) || len(detail) > 4096 {
				t.Fatalf("the detail cannot be written: %q", detail)
			}
			return
		}
		for _, s := range []string{req.run, req.id, req.name.Toolkit, req.name.Function} {
			if n := utf8.RuneCountInString(s); n < 1 || n > maxMember || !utf8.ValidString(s) {
				t.Fatalf("a member of %d characters was taken: %q", n, s)
			}
		}
		again, err := canonical.Parse(req.args.Canonical(), canonical.Limits{})
		if err != nil || !again.IsObject() || again.Digest() != req.args.Digest() {
			t.Fatalf("arguments %s do not come back: %v", req.args.Canonical(), err)
		}
	})
}
