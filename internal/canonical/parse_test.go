package canonical

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

func TestErrorTellsWhere(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		input, path string
		offset      int
		kind        Kind
	}{
		{`{"a":[1,{"b c":NaN}]}`, `$.a[1]["b c"]`, 15, KindNaN},
		{`[1,2,1e400]`, `$[2]`, 5, KindOverflow},
		{`{"a":1} x`, `$`, 8, KindTrailing},
		{`{"a":"` + "\xff" + `"}`, `$`, 6, KindUTF8},
		{`{"":[`, `$[""][0]`, 5, KindSyntax},
		{`[[[[[[[[[[x]]]]]]]]]]`, `$` + strings.Repeat("[0]", 8) + "…", 10, KindSyntax},
		{`{"` + strings.Repeat("k", 99) + `":x}`, `$["` + strings.Repeat("k", 40) + `…"]`, 103, KindSyntax},
	} {
		_, err := Parse([]byte(c.input), Limits{})
		var e *SyntaxError
		if !errors.As(err, &e) {
			t.Fatalf("%s: want a *SyntaxError, got %v", c.input, err)
		}
		if e.Path != c.path || e.Offset != c.offset || e.Kind != c.kind {
			t.Errorf("%s: got %s at %s byte %d, want %s at %s byte %d", c.input, e.Kind, e.Path, e.Offset, c.kind, c.path, c.offset)
		}
	}
}

func TestErrorDoesNotQuoteValues(t *testing.T) {
	t.Parallel()
	for _, input := range []string{`{"a":"hunter2\q"}`, `{"a":"hunter2"`, `["hunter2" 1]`, `{"a":hunter2}`, `"hunter2`} {
		if _, err := Parse([]byte(input), Limits{}); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", input, err)
		}
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		input  string
		limits Limits
		kind   Kind // "" when accepted
	}{
		{`[1,2]`, Limits{Bytes: 5}, ""},
		{`[1,2]`, Limits{Bytes: 4}, KindSize},
		{`[[]]`, Limits{Depth: 2}, ""},
		{`[[[]]]`, Limits{Depth: 2}, KindDepth},
		{`{"a":{"b":1}}`, Limits{Depth: 1}, KindDepth},
		{strings.Repeat("[", 5000) + strings.Repeat("]", 5000), Limits{Depth: 5000}, ""},
	} {
		_, err := Parse([]byte(c.input), c.limits)
		var e *SyntaxError
		errors.As(err, &e)
		if (err == nil) != (c.kind == "") || e != nil && e.Kind != c.kind {
			t.Errorf("%.20s with %+v: %v, want kind %q", c.input, c.limits, err, c.kind)
		}
	}
}

func TestUniqueRefusesEqualKeysAtAnyDepth(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		input, path string // path "" when accepted
		offset      int
	}{
		{`{"a":1,"b":{"a":2},"c":[{"a":3},{"a":4}]}`, "", 0},
		{`{"a":1,"b":2,"a":1}`, `$.a`, 13},
		{`[0,{"x":{"k":1,"\u006b":2}}]`, `$[1].x.k`, 15},
		{`{"":0,"":0}`, `$[""]`, 6},
	} {
		_, err := Parse([]byte(c.input), Limits{Unique: true})
		var e *SyntaxError
		if !errors.As(err, &e) {
			if err != nil || c.path != "" {
				t.Errorf("%s: %v, want a refusal at %q", c.input, err, c.path)
			}
			continue
		}
		if e.Kind != KindDuplicate || e.Path != c.path || e.Offset != c.offset {
			t.Errorf("%s: %s at %s byte %d, want duplicate at %s byte %d", c.input, e.Kind, e.Path, e.Offset, c.path, c.offset)
		}
		if _, err := Parse([]byte(c.input), Limits{}); err != nil {
			t.Errorf("%s: without Unique: %v", c.input, err)
		}
	}
}

// Sentence 3 of the package, and the pairs that must never share a receipt.
func TestDifferentValuesHaveDifferentDigests(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for _, input := range []string{`1`, `1.0`, `"1"`, `9007199254740992`, `9007199254740993`, `9007199254740992.0`, `0`, `-0.0`,
		`0.0`, `null`, `{}`, `[]`, `""`, `{"a":1}`, `{"a":2}`, `{"a":null}`, "\"\u00e9\"", "\"e\u0301\"", `"\u0000"`} {
		doc, err := Parse([]byte(input), Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if other, ok := seen[doc.Digest()]; ok {
			t.Errorf("%s and %s share a digest", input, other)
		}
		seen[doc.Digest()] = input
	}
}

// Sentence 5: with cost quadratic in the width or the depth this takes minutes.
func TestWideAndDeepDocumentsAreCheap(t *testing.T) {
	t.Parallel()
	for name, input := range map[string][]byte{
		"wide":  []byte("[" + strings.Repeat("[],", 500_000) + "0]"),
		"keys":  []byte("{" + strings.Repeat(`"k":0,`, 300_000) + `"k":1}`),
		"deep":  []byte(strings.Repeat(`{"z":0,"a":`, 20_000) + `"` + strings.Repeat("x", 1<<20) + `"` + strings.Repeat("}", 20_000)),
		"digit": []byte("0." + strings.Repeat("1", 1<<20)),
	} {
		doc, err := Parse(input, Limits{Depth: 20_000})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if name == "keys" && !bytes.Equal(doc.Canonical(), []byte(`{"k":1}`)) {
			t.Errorf("keys: %.40s", doc.Canonical())
		}
	}
}

func BenchmarkParse(b *testing.B) {
	input := []byte(`{"url":"https://example.org/","limit":25,"deep":[1,2.5,{"é":"😀\n"}],"text":"` + strings.Repeat("lorem ipsum ", 40) + `"}`)
	b.SetBytes(int64(len(input)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse(input, Limits{Bytes: 65536}); err != nil {
			b.Fatal(err)
		}
	}
}
