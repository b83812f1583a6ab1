package mcp

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
)

func TestFunctionName(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 80)
	for theirs, want := range map[string]string{"read": "files_read", "read.file/1": "files_read_file_1", "läs": "files_l_s", "": ""} {
		if got := functionName("files", theirs); got != want {
			t.Errorf("functionName(%q) = %q", theirs, got)
		}
	}
	a, b := functionName("files", long+"a"), functionName("files", long+"b")
	if a == b || len(a) != maxName || len(b) != maxName {
		t.Errorf("long names become %q and %q", a, b)
	}
}

func TestCheckSchema(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ schema, wrong string }{
		"plain":    {`{"type":"object","properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"type":"string"}}}`, ""},
		"property": {`{"type":"object","properties":{"$ref":{"type":"string"}}}`, ""},
		"remote":   {`{"type":"object","properties":{"a":{"$ref":"http://x.example/a"}}}`, "is not fetched"},
		"file":     {`{"type":"object","anyOf":[{"$ref":"other.json"}]}`, "is not fetched"},
		"list":     {`[]`, "no object"},
		"nothing":  {`null`, "no schema"},
		"no type":  {`{}`, "type: object"},
		"deep":     {`{"type":"object","a":` + strings.Repeat("[", 40) + strings.Repeat("]", 40) + `}`, "nested"},
		"large":    {`{"type":"object","a":"` + strings.Repeat("x", maxSchema) + `"}`, "bytes"},
	} {
		var v any
		if err := json.Unmarshal([]byte(c.schema), &v); err != nil {
			t.Fatal(err)
		}
		raw, err := checkSchema(v)
		if (err == nil) != (c.wrong == "") || err != nil && !strings.Contains(err.Error(), c.wrong) || err == nil && !json.Valid(raw) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzFunctionName(f *testing.F) {
	f.Add("read")
	f.Add(strings.Repeat("ä", 90))
	good := regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)
	f.Fuzz(func(t *testing.T, theirs string) {
		if name := functionName("p", theirs); theirs != "" && !good.MatchString(name) {
			t.Errorf("%q becomes %q", theirs, name)
		}
	})
}
