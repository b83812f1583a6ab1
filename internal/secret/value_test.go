package secret

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

// Invariant 1.
func TestValueDoesNotPrint(t *testing.T) {
	t.Parallel()
	const plain = "correct-horse-battery"
	v := New(plain)
	type holder struct {
		Open   Value
		hidden Value
		Ptr    *Value
		Many   []Value
	}
	h := holder{Open: v, hidden: v, Ptr: &v, Many: []Value{v}}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d", "%T %v"} {
		for _, arg := range []any{v, &v, h, &h, map[string]Value{"k": v}, []any{v}} {
			if out := fmt.Sprintf(verb, arg); strings.Contains(out, plain) || strings.Contains(out, fmt.Sprintf("%x", plain)) {
				t.Errorf("%s of %T prints %s", verb, arg, out)
			}
		}
	}
	out, err := json.Marshal(map[string]any{"h": h, "v": v})
	if err != nil || strings.Contains(string(out), plain) || !strings.Contains(string(out), `"v":"[redacted]"`) {
		t.Errorf("JSON = %s, %v", out, err)
	}
	var log strings.Builder // no redacting handler: the type alone must do
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "v", v, "h", h, "p", &v)
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "v", v, "h", h, "p", &v)
	if strings.Contains(log.String(), plain) {
		t.Errorf("slog wrote %s", log.String())
	}
	if v.Reveal() != plain {
		t.Errorf("Reveal = %q", v.Reveal())
	}
}

func TestValue(t *testing.T) {
	t.Parallel()
	var zero, read Value
	if !zero.IsZero() || zero.Reveal() != "" || fmt.Sprint(zero) != "" || !New("").IsZero() {
		t.Error("the zero Value is not the empty secret")
	}
	if err := json.Unmarshal([]byte(`"a secret from a file"`), &read); err != nil || read.Reveal() != "a secret from a file" {
		t.Errorf("Unmarshal = %q, %v", read.Reveal(), err)
	}
	if !read.Equal(New("a secret from a file")) || read.Equal(zero) || read.Equal(New("a secret from a filf")) {
		t.Error("Equal is wrong")
	}
}

// Invariant 2, and Forget counts.
func TestValueRegisters(t *testing.T) {
	t.Parallel()
	a, b := New("registered-by-type"), New("registered-by-type")
	text := "x registered-by-type y"
	a.Forget()
	if got := Default.Redact(text); got != "x [redacted] y" {
		t.Errorf("Redact = %q", got)
	}
	b.Forget()
	if got := Default.Redact(text); got != text {
		t.Errorf("after the last Forget: %q", got)
	}
}
