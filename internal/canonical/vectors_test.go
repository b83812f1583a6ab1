package canonical

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"testing"
)

type vectors struct {
	Accept []struct{ Name, Input, Canonical, SHA256 string }
	Reject []struct {
		Name     string
		InputHex string `json:"input_hex"`
		Repeat   int    // how often the input stands in a row; 0 is once
		Kind     Kind
	}
}

func loadVectors(t testing.TB) vectors {
	t.Helper()
	text, err := os.ReadFile("testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var v vectors
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	if len(v.Accept) < 20 || len(v.Reject) < 40 {
		t.Fatalf("vectors.json is cut short: %d accepted, %d rejected", len(v.Accept), len(v.Reject))
	}
	return v
}

func (v vectors) rejected(t testing.TB, i int) []byte {
	t.Helper()
	input, err := hex.DecodeString(v.Reject[i].InputHex)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Repeat(input, max(1, v.Reject[i].Repeat))
}

func TestVectorsAccepted(t *testing.T) {
	t.Parallel()
	for _, v := range loadVectors(t).Accept {
		t.Run(v.Name, func(t *testing.T) {
			t.Parallel()
			doc, err := Parse([]byte(v.Input), Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if got := string(doc.Canonical()); got != v.Canonical {
				t.Errorf("canonical form\n got %s\nwant %s", got, v.Canonical)
			}
			if doc.Digest() != v.SHA256 {
				t.Errorf("digest %s, want %s", doc.Digest(), v.SHA256)
			}
			if string(doc.Raw()) != v.Input {
				t.Errorf("raw form changed to %s", doc.Raw())
			}
			again, err := Parse(doc.Canonical(), Limits{})
			if err != nil || string(again.Canonical()) != v.Canonical {
				t.Errorf("canonical form of the canonical form: %s, %v", again.Canonical(), err)
			}
		})
	}
}

func TestVectorsRejected(t *testing.T) {
	t.Parallel()
	all := loadVectors(t)
	for i, v := range all.Reject {
		t.Run(v.Name, func(t *testing.T) {
			t.Parallel()
			_, err := Parse(all.rejected(t, i), Limits{})
			var syntax *SyntaxError
			if !errors.As(err, &syntax) {
				t.Fatalf("want a *SyntaxError, got %v", err)
			}
			if syntax.Kind != v.Kind {
				t.Errorf("kind %s, want %s: %v", syntax.Kind, v.Kind, err)
			}
		})
	}
}
