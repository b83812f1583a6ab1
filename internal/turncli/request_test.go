package turncli

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

const someID = "7d444840-9dc0-11d1-b245-5ffdce74fad2"

// What is no request is refused and says where; nothing of it is coerced (C24).
func TestRequestsAreStrict(t *testing.T) {
	t.Parallel()
	for body, says := range map[string]string{
		``:                   "strict JSON",
		`[]`:                 "object",
		`{}`:                 "operation: is missing",
		`{"operation":1}`:    "operation",
		`{"operation":"x"}`:  "no operation",
		`{"operation":null}`: "operation",
		`{"operation":"tools.list","operation":"tools.list"}`:                                                                 "strict JSON",
		`{"operation":"tools.list","limit":"5"}`:                                                                              "limit",
		`{"operation":"tools.list","limit":true}`:                                                                             "limit",
		`{"operation":"tools.list","limit":5.0}`:                                                                              "limit",
		`{"operation":"tools.list","limit":0}`:                                                                                "limit",
		`{"operation":"tools.list","limit":1001}`:                                                                             "limit",
		`{"operation":"tools.list","limit":NaN}`:                                                                              "strict JSON",
		`{"operation":"tools.list","cursor":5}`:                                                                               "cursor",
		`{"operation":"tools.list","cursor":"` + strings.Repeat("x", 1025) + `"}`:                                             "cursor",
		`{"operation":"tools.list","query":"x"}`:                                                                              `"query" is no member`,
		`{"operation":"tools.search"}`:                                                                                        "query",
		`{"operation":"tools.search","query":""}`:                                                                             "query",
		`{"operation":"tools.search","query":"x","limit":101}`:                                                                "limit",
		`{"operation":"tools.describe","toolkit":"a"}`:                                                                        "function",
		`{"operation":"tools.describe","toolkit":"` + strings.Repeat("ü", 129) + `","function":"b"}`:                          "toolkit",
		`{"operation":"tools.call","call_id":"x","toolkit":"a","function":"b"}`:                                               "call_id",
		`{"operation":"tools.call","call_id":"{` + someID + `","toolkit":"a","function":"b"}`:                                 "call_id",
		`{"operation":"tools.call","call_id":"` + someID + `","toolkit":"a","function":"b","arguments":[]}`:                   "arguments",
		`{"operation":"tools.call","call_id":"` + someID + `","toolkit":"a","function":"b","arguments":"{}"}`:                 "arguments",
		`{"operation":"tools.call","call_id":"` + someID + `","toolkit":"a","function":"b","arguments":null}`:                 "arguments",
		`{"operation":"tools.call","call_id":"` + someID + `","toolkit":"a","function":"b","arguments":{"x":1e999}}`:          "strict JSON",
		`{"operation":"tools.call","call_id":"` + someID + `","toolkit":"a","function":"b","arguments":{"x":{"y":1,"y":2}}}`:  "strict JSON",
		`{"operation":"tools.call","call_id":"` + someID + `","toolkit":"a","function":"b","arguments":{"x":"\ud800"}}`:       "strict JSON",
		`{"operation":"context.read"}`:                                                                                        "name",
		`{"operation":"context.read","name":"x","offset":-1}`:                                                                 "offset",
		`{"operation":"context.read","name":"x","limit":65537}`:                                                               "limit",
		`{"operation":"tools.list"} {}`:                                                                                       "strict JSON",
		"{\"operation\":\"tools.list\",\"cursor\":\"\xff\"}":                                                                  "strict JSON",
		`{"operation":"tools.list","limit":99999999999999999999}`:                                                             "limit",
		`{"operation":"tools.call","call_id":"` + someID + `","toolkit":"a","function":"b","arguments":{},"parent_bash":"x"}`: "no member",
		`{"operation":"tools.describe","toolkit":null,"function":"b"}`:                                                        "toolkit",
		`{"operation":"tools.check","toolkit":"a","function":"b","call_id":"` + someID + `"}`:                                 "no member",
		`{"operation":"context.list","limit":1000,"cursor":"` + strings.Repeat("😀", 1024) + `","name":"x"}`:                   "no member",
		`{"operation":"tools.search","query":"` + strings.Repeat("ü", 1025) + `"}`:                                            "query",
	} {
		if _, refused := parseOperation([]byte(body)); refused == nil || refused.status != 422 || !strings.Contains(refused.detail, says) {
			t.Errorf("%.100s: %+v", body, refused)
		}
	}
	for _, name := range []string{"requester", "requester_id", "agent", "agent_name", "worker", "turn", "generation", "room", "room_id", "session", "window"} {
		body := fmt.Sprintf(`{"operation":"tools.call","call_id":%q,"toolkit":"a","function":"b","arguments":{},%q:"x"}`, someID, name)
		if _, refused := parseOperation([]byte(body)); refused == nil || refused.status != 422 {
			t.Errorf("a request may name a %s: %+v", name, refused)
		}
		body = fmt.Sprintf(`{"operation":"tools.call","call_id":%q,"toolkit":"a","function":"b","arguments":{%q:"x"}}`, someID, name)
		if _, refused := parseOperation([]byte(body)); refused != nil {
			t.Errorf("arguments may not name a %s: %+v", name, refused)
		}
	}
}

func TestRequestsAreRead(t *testing.T) {
	t.Parallel()
	op, refused := parseOperation([]byte(`{"operation":"tools.call","call_id":"{` + strings.ToUpper(someID) + `}","toolkit":"a","function":"b","arguments":{"z":3.0,"a":3}}`))
	if refused != nil || op.id != someID || op.name.String() != "a.b" || string(op.args.Canonical()) != `{"a":3,"z":3.0}` {
		t.Errorf("%+v, %+v", op, refused)
	}
	for kind, want := range map[string]int{opList: 100, opContext: 100, opSearch: 20, opRead: 8000} {
		op, refused := parseOperation([]byte(fmt.Sprintf(`{"operation":%q%s}`, kind, map[string]string{opSearch: `,"query":"x"`, opRead: `,"name":"x"`}[kind])))
		if refused != nil || op.limit != want || string(op.args.Canonical()) != "{}" {
			t.Errorf("%s: %+v, %+v", kind, op, refused)
		}
	}
}

func TestParseUUID(t *testing.T) {
	t.Parallel()
	bare := strings.ReplaceAll(someID, "-", "")
	for s, ok := range map[string]bool{
		someID: true, strings.ToUpper(someID): true, bare: true, "{" + someID + "}": true, "urn:uuid:" + someID: true, "URN:UUID:" + bare: true,
		"": false, "x": false, someID + "0": false, "{" + someID: false, someID + "}": false, bare[:31] + "g": false, "../" + someID: false,
	} {
		if got, read := parseUUID(s); read != ok || ok && got != someID {
			t.Errorf("%q is %q, %v", s, got, read)
		}
	}
}

func FuzzParseOperation(f *testing.F) {
	f.Add([]byte(`{"operation":"tools.call","call_id":"` + someID + `","toolkit":"a","function":"b","arguments":{"x":[1,2.0,null]}}`))
	f.Add([]byte(`{"operation":"context.read","name":"role","offset":3,"limit":65536}`))
	f.Add([]byte(`{"operation":"tools.search","query":"x","toolkit":null}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		op, refused := parseOperation(raw)
		if refused != nil {
			if refused.status != 422 || refused.detail == "" || !utf8.ValidString(refused.detail) {
				t.Fatalf("refused with %+v", refused)
			}
			return
		}
		if _, known := members[op.kind]; !known || op.limit < 1 || op.offset < 0 || !op.args.IsObject() {
			t.Fatalf("read as %+v", op)
		}
		if op.kind == opCall {
			if id, ok := parseUUID(op.id); !ok || id != op.id || op.name.Toolkit == "" || op.name.Function == "" {
				t.Fatalf("read as %+v", op)
			}
		}
	})
}
