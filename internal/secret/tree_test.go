package secret

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTree(t *testing.T) {
	t.Parallel()
	r := &Redactor{}
	r.Add("hunter2hunter2")
	in := map[string]any{
		"to": "anna", "body": "it is hunter2hunter2, or Bearer abcdefghijklmnop1234", "max_tokens": json.Number("5"), "api_key": "x", "token": json.Number("7"),
		"password": nil, "credentials": map[string]any{"user": "u", "word": "w"}, "list": []any{true, nil, map[string]any{"GITHUB_TOKEN": []any{"a", "b"}}},
		"hunter2hunter2": "as a name",
	}
	before, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"to": "anna", "body": "it is [redacted], or Bearer [redacted]", "max_tokens": json.Number("5"), "api_key": Mark, "token": Mark,
		"password": nil, "credentials": Mark, "list": []any{true, nil, map[string]any{"GITHUB_TOKEN": Mark}}, Mark: "as a name",
	}
	if diff := cmp.Diff(want, r.Tree(in)); diff != "" {
		t.Error(diff)
	}
	if after, err := json.Marshal(in); err != nil || string(after) != string(before) {
		t.Errorf("the value itself was changed to %s, %v", after, err)
	}
}
