package agentcli

import (
	"strings"
	"testing"

	"mindroom/internal/agentcli/http1"
	"mindroom/internal/canonical"
)

func TestReadDocument(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ in, body, status, callID, alone string }{
		{`{"status":"completed", "outcome":{"b":1.0,"a":"é\u00e9"},"call_id":"x"}`,
			`{"call_id":"x","outcome":{"a":"éé","b":1.0},"status":"completed"}`, "completed", "x", `{"a":"éé","b":1.0}`},
		{`{"items":[]}`, `{"items":[]}`, "", "", "null"},
		{`{"status":3,"call_id":null}`, `{"call_id":null,"status":3}`, "", "", "null"},
		{`{"Status":"failed"}`, `{"Status":"failed"}`, "", "", "null"},
		{`{"outcome":` + strings.Repeat("[", 500) + strings.Repeat("]", 500) + `}`, `{"outcome":` + strings.Repeat("[", 500) + strings.Repeat("]", 500) + `}`, "", "",
			strings.Repeat("[", 500) + strings.Repeat("]", 500)},
	} {
		d, ok := readDocument([]byte(c.in))
		if !ok || string(d.body) != c.body || d.status != c.status || d.callID != c.callID || string(d.alone()) != c.alone {
			t.Errorf("%s: %s %+v, %v", c.in, d.body, d, ok)
		}
	}
	full := `{"a":"` + strings.Repeat("x", maxDocument-8) + `"}`
	if d, ok := readDocument([]byte(full)); !ok || len(d.body) != maxDocument {
		t.Error("a document of 65536 bytes is refused")
	}
	for _, in := range []string{"", "[]", "null", "<html>", `{"a":1,"a":2}`, `{"a":NaN}`, `{"a":1e999}`, `{"a":"\ud800"}`, `{} {}`, full + " ",
		`{"a":[` + strings.Repeat("1e15,", 10000) + `0]}`} {
		if d, ok := readDocument([]byte(in)); ok {
			t.Errorf("%.40s is an answer: %.60s", in, d.body)
		}
	}
}

func TestRefusal(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("\\u0001", 10000)
	for _, c := range []struct {
		status         int
		body           string
		exit           int
		text, hint, as string
	}{
		{409, `{"detail":"this id is of another call"}`, 2, "rejected: this id is of another call", "", ""},
		{422, `{"code":"unknown_function","detail":"no such function","hint":"it has: read"}`, 2, "rejected: no such function", "it has: read", "unknown_function"},
		{400, `<html>Bad</html>`, 2, "Agent CLI request rejected", "", ""},
		{413, `{"detail":["too","long"],"hint":"less"}`, 2, "Agent CLI request rejected", "less", ""},
		{401, `{"detail":"Agent CLI authority is unavailable"}`, 4, "authority is unavailable", "", ""},
		{307, ``, 4, "redirect (status 307), which is not followed", "", ""},
		{403, `{"detail":"go away"}`, 4, "status 403: go away", "", ""},
		{404, `nothing here`, 4, "status 404", "", ""},
		{502, `<html>`, 4, "status 502; the outcome is unknown", "", ""},
	} {
		f := refusal(http1.Response{Status: c.status, Body: []byte(c.body)})
		if f.exit != c.exit || !strings.Contains(f.text, c.text) || f.hint != c.hint || f.code != c.as {
			t.Errorf("%d %s: %+v", c.status, c.body, f)
		}
	}
	f := refusal(http1.Response{Status: 422, Body: []byte(`{"detail":"` + long + `","hint":"` + long + `"}`)})
	if doc := errorDocument(f.text, id, f.code, f.hint); len(doc) > maxDocument {
		t.Errorf("the error has %d bytes", len(doc))
	}
}

// TestErrorDocument holds that whatever is in it, it is strict JSON.
func TestErrorDocument(t *testing.T) {
	t.Parallel()
	if got := string(errorDocument("no \xff <b>", "", "", "")); got != `{"error":"no � <b>"}` {
		t.Errorf("%s", got)
	}
	raw := errorDocument("e", id, "c", "h")
	doc, err := canonical.Parse(raw, canonical.Limits{Unique: true})
	if err != nil || string(doc.Canonical()) != string(raw) || string(raw) != `{"call_id":"`+id+`","code":"c","error":"e","hint":"h"}` {
		t.Errorf("%s, %v", raw, err)
	}
}

func TestExitOf(t *testing.T) {
	t.Parallel()
	for status, want := range map[string]int{"": 0, "completed": 0, "failed": 1, "cancelled": 1, "queued": 3, "running": 3, "waiting": 3, "evaporated": 4} {
		if got := exitOf(status); got != want {
			t.Errorf("%q ends with %d, want %d", status, got, want)
		}
	}
}

func TestCut(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in   string
		most int
		want string
	}{{"abc", 3, "abc"}, {"abcd", 3, "…"}, {"abcdef", 5, "ab…"}, {"aéé", 4, "a…"}} {
		if got := cut(c.in, c.most); got != c.want {
			t.Errorf("%q: %q, want %q", c.in, got, c.want)
		}
	}
}
