package canonical

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func mustParse(t testing.TB, input string) Doc {
	t.Helper()
	doc, err := Parse([]byte(input), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func TestDecodeKeepsEveryDigit(t *testing.T) {
	t.Parallel()
	doc := mustParse(t, `{"n":123456789012345678901234567890,"f":1.0,"n2":9007199254740993}`)
	var got map[string]any
	if err := doc.Decode(&got); err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]json.Number{"n": "123456789012345678901234567890", "f": "1.0", "n2": "9007199254740993"} {
		if got[key] != want {
			t.Errorf("%s decoded as %#v, want %s", key, got[key], want)
		}
	}
	back, err := FromValue(got)
	if err != nil || back.Digest() != doc.Digest() {
		t.Errorf("decode and FromValue changed the digest: %s, %v", back.Canonical(), err)
	}
	if err := doc.Decode(&struct{ N string }{}); err == nil {
		t.Error("a number was decoded into a string")
	}
}

func TestDocIsImmutable(t *testing.T) {
	t.Parallel()
	input := []byte(`{"b":1,"a":2}`)
	doc, err := Parse(input, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range input {
		input[i] = 'x'
	}
	doc.Raw()[0], doc.Canonical()[0] = 'x', 'x'
	if string(doc.Raw()) != `{"b":1,"a":2}` || string(doc.Canonical()) != `{"a":2,"b":1}` {
		t.Errorf("document changed: %s, %s", doc.Raw(), doc.Canonical())
	}
}

func TestZeroDocIsNoDocument(t *testing.T) {
	t.Parallel()
	var zero Doc
	if !zero.IsZero() || zero.Digest() != "" || zero.IsObject() || len(zero.Canonical()) != 0 {
		t.Errorf("zero document: %v", zero)
	}
	if err := zero.Decode(new(any)); err == nil {
		t.Error("the zero document was decoded")
	}
	if _, err := json.Marshal(zero); err == nil {
		t.Error("the zero document was marshalled")
	}
	if !EmptyObject.IsObject() || EmptyObject.IsZero() || string(EmptyObject.Canonical()) != "{}" {
		t.Errorf("EmptyObject is %v", EmptyObject)
	}
}

func TestDocDoesNotPrintItsContent(t *testing.T) {
	t.Parallel()
	doc := mustParse(t, `{"password":"hunter2"}`)
	for _, verb := range []string{"%v", "%+v", "%#v", "%s"} {
		if text := fmt.Sprintf(verb, doc); strings.Contains(text, "hunter2") || !strings.Contains(text, doc.Digest()) {
			t.Errorf("%s prints %s", verb, text)
		}
	}
	text, err := json.Marshal(map[string]Doc{"args": doc})
	if err != nil || string(text) != `{"args":{"password":"hunter2"}}` {
		t.Errorf("marshalled as %s, %v", text, err)
	}
}
