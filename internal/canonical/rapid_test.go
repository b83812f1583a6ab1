package canonical

import (
	"encoding/json"
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// Sentence 2: indenting and reordering by encoding/json, which spells strings its own way, change nothing.
func TestSpellingDoesNotMatter(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		value := genValue(3).Draw(t, "value")
		doc, err := FromValue(value)
		if err != nil {
			t.Fatal(err)
		}
		var decoded any
		if err := doc.Decode(&decoded); err != nil {
			t.Fatal(err)
		}
		respelt, err := json.MarshalIndent(decoded, " ", "\t")
		if err != nil {
			t.Fatal(err)
		}
		again, err := Parse(respelt, Limits{})
		if err != nil || again.Digest() != doc.Digest() {
			t.Fatalf("%s became %s: %v", doc.Canonical(), again.Canonical(), err)
		}
	})
}

// Sentence 1, and that one changed leaf changes the digest.
func TestLeafMatters(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := genLeaf().Draw(t, "a"), genLeaf().Draw(t, "b")
		around := genValue(2).Draw(t, "around")
		docs := [2]Doc{}
		for i, leaf := range []any{a, b} {
			var err error
			if docs[i], err = FromValue(map[string]any{"around": around, "leaf": leaf}); err != nil {
				t.Fatal(err)
			}
		}
		same := fmt.Sprintf("%T %#v", a, a) == fmt.Sprintf("%T %#v", b, b)
		if same != (docs[0].Digest() == docs[1].Digest()) {
			t.Fatalf("%#v and %#v: %s and %s", a, b, docs[0].Canonical(), docs[1].Canonical())
		}
	})
}

func genLeaf() *rapid.Generator[any] {
	return rapid.OneOf(
		rapid.Just[any](nil), rapid.Just[any](true), rapid.Just[any](false),
		rapid.Map(rapid.Float64(), func(f float64) any { return f }),
		rapid.Map(rapid.StringMatching(`-?[1-9][0-9]{0,40}`), func(s string) any { return json.Number(s) }),
		rapid.Map(rapid.String(), func(s string) any { return s }),
	)
}

func genValue(depth int) *rapid.Generator[any] {
	if depth == 0 {
		return genLeaf()
	}
	return rapid.OneOf(genLeaf(),
		rapid.Map(rapid.SliceOfN(genValue(depth-1), 0, 4), func(items []any) any { return items }),
		rapid.Map(rapid.MapOfN(rapid.String(), genValue(depth-1), 0, 4), func(m map[string]any) any { return m }),
	)
}
