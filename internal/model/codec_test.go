package model_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"mindroom/internal/media"
	"mindroom/internal/model"
)

// everything holds each kind of part with each of its fields.
func everything() []model.Message {
	return []model.Message{
		{Role: model.RoleUser, Parts: []model.Part{
			model.TextPart("Look <at> this & that"),
			model.MediaPart(media.Ref{Digest: "sha256:ab", MIME: "image/png", Name: "a.png", Size: 12}),
		}},
		{Role: model.RoleAssistant, Parts: []model.Part{
			model.OpaquePart(model.Opaque{Provider: "anthropic", Model: "m1", Raw: []byte(`{ "thinking":"<hm>" }`)}),
			model.TextPart(""),
			model.CallPart(model.Call{ID: "c1", Name: "read", Arguments: json.RawMessage(`{ "a" : 1.0 }`)}),
			model.CallPart(model.Call{ID: "c2", Name: "read", Arguments: json.RawMessage(`{"a`)}),
			model.CallPart(model.Call{ID: "c3", Name: "now"}),
		}},
		{Role: model.RoleTool, Parts: []model.Part{
			model.ResultPart(model.Result{CallID: "c1", Name: "read", Text: "ok", Media: []media.Ref{{Digest: "sha256:cd", MIME: "image/png"}}}),
			model.ResultPart(model.Result{CallID: "c2", Name: "read", Text: "broken", IsError: true}),
		}},
	}
}

// Sentence 1: the stored form does not change under a version.
func TestStoredFormIsStable(t *testing.T) {
	t.Parallel()
	golden := filepath.Join("testdata", "transcript.v1.json")
	raw, err := json.Marshal(everything())
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	if err := json.Indent(&got, raw, "", "  "); err != nil {
		t.Fatal(err)
	}
	got.WriteByte('\n')
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), want) {
		t.Errorf("the stored form changed; a change that old readers misunderstand needs a new Version. Got:\n%s", got.Bytes())
	}
	var back []model.Message
	if err := json.Unmarshal(want, &back); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(back, everything()) {
		t.Errorf("read back %+v\nwant %+v", back, everything())
	}
}

func TestUnknownVersionIsTyped(t *testing.T) {
	t.Parallel()
	for text, version := range map[string]int{
		`{"v":2,"role":"user","parts":[],"new":true}`: 2,
		`{"role":"user","parts":[]}`:                  0,
		`{"v":-1}`:                                    -1,
	} {
		var m model.Message
		err := json.Unmarshal([]byte(text), &m)
		var unknown *model.UnknownVersionError
		if !errors.As(err, &unknown) || unknown.Version != version {
			t.Errorf("%s: error is %v, want an unknown version %d", text, err, version)
		}
		if m.Role != "" {
			t.Errorf("%s: the message was filled all the same: %+v", text, m)
		}
	}
}

func TestMalformedMessagesAreRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{"v":1,"role":"system","parts":[]}`,
		`{"v":1,"role":"user","parts":[{"kind":"text"}]}`,
		`{"v":1,"role":"user","parts":[{"kind":"call","text":"x"}]}`,
		`{"v":1,"role":"user","parts":[{"kind":"song","text":"x"}]}`,
		`{"v":1,"role":"user","parts":[{"kind":"opaque","opaque":{"raw":"*"}}]}`,
		`{"v":"1"}`, `[]`, `null`,
	} {
		var m model.Message
		if err := json.Unmarshal([]byte(text), &m); err == nil && text != "null" {
			t.Errorf("%s was taken", text)
		}
	}
	for _, m := range []model.Message{
		{},
		{Role: model.RoleUser, Parts: []model.Part{{}}},
		{Role: model.RoleUser, Parts: []model.Part{{Kind: model.PartCall}}},
	} {
		if raw, err := json.Marshal(m); err == nil {
			t.Errorf("%+v was stored as %s", m, raw)
		}
	}
}

// What can be read can be written, and reads back as the same.
func FuzzMessage(f *testing.F) {
	for _, m := range everything() {
		raw, err := json.Marshal(m)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var first, second model.Message
		if json.Unmarshal(data, &first) != nil || first.Role == "" {
			return
		}
		raw, err := json.Marshal(first)
		if err != nil {
			t.Fatalf("%q can be read but not written: %v", data, err)
		}
		if err := json.Unmarshal(raw, &second); err != nil {
			t.Fatalf("%s was written but cannot be read: %v", raw, err)
		}
		again, err := json.Marshal(second)
		if err != nil || !bytes.Equal(raw, again) {
			t.Fatalf("wrote %s, then %s (%v)", raw, again, err)
		}
	})
}

func TestArgumentsObject(t *testing.T) {
	t.Parallel()
	for sent, want := range map[string]string{
		``:                 `{}`,
		`{"a":1}`:          `{"a":1}`,
		`{"a":`:            `{"unparsed_arguments":"{\"a\":"}`,
		`null`:             `{"unparsed_arguments":"null"}`,
		`[1]`:              `{"unparsed_arguments":"[1]"}`,
		`{"a":1} and {}`:   `{"unparsed_arguments":"{\"a\":1} and {}"}`,
		` { "a" : 1.50 } `: ` { "a" : 1.50 } `,
	} {
		if got := (model.Call{Arguments: json.RawMessage(sent)}).ArgumentsObject(); string(got) != want {
			t.Errorf("%q became %s, want %s", sent, got, want)
		}
	}
}
