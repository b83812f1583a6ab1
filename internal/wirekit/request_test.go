package wirekit

import (
	"net/http"
	"testing"
)

func FuzzParseSubmission(f *testing.F) {
	f.Add([]byte(`{"run_id":"r","call_id":"c","toolkit_name":"t","function_name":"f","arguments":{"a":[1,2.5,null]}}`))
	f.Add([]byte(`{"run_id":"r","call_id":"c","toolkit_name":"t","function_name":"f"}`))
	f.Add([]byte(`{"run_id":null,"call_id":[],"toolkit_name":{},"function_name":1,"arguments":""}`))
	f.Add([]byte(`[]`))
	f.Fuzz(func(t *testing.T, body []byte) {
		s, refused := parseSubmission(body)
		if refused != nil {
			if refused.status != http.StatusUnprocessableEntity || refused.detail == "" {
				t.Fatalf("malformed body is refused with %v", refused)
			}
			return
		}
		again, refused := parseSubmission(encode(map[string]any{
			"run_id": s.runID, "call_id": s.callID, "toolkit_name": s.toolkit, "function_name": s.function, "arguments": s.arguments,
		}))
		if refused != nil || again.runID != s.runID || again.callID != s.callID || again.arguments.Digest() != s.arguments.Digest() {
			t.Fatalf("%+v came back as %+v, %v", s, again, refused)
		}
	})
}
