package secret

import (
	"crypto/subtle"
	"fmt"
	"io"
	"log/slog"
)

// Mark stands where a secret was.
const Mark = "[redacted]"

// Value is a secret. It prints as Mark; the zero Value is the empty secret and
// prints as nothing, so that a log shows whether one was set. Values are not
// comparable with ==, which would compare where they lie; use Equal.
type Value struct {
	_ [0]func() // forbids ==
	// Behind a pointer, because fmt prints unexported fields of a struct without
	// asking their type: of this one it can only print an address.
	held *string
}

// New makes a secret of s and registers it with Default.
func New(s string) Value {
	if s == "" {
		return Value{}
	}
	Default.Add(s)
	return Value{held: &s}
}

// Reveal returns the secret itself. Call it where the secret is used, not where
// it is passed on.
func (v Value) Reveal() string {
	if v.held == nil {
		return ""
	}
	return *v.held
}

// IsZero reports whether the secret is empty.
func (v Value) IsZero() bool { return v.held == nil }

// Equal compares in constant time, but for the length. Package cmp uses it where
// it compares what holds secrets.
func (v Value) Equal(other Value) bool {
	return subtle.ConstantTimeCompare([]byte(v.Reveal()), []byte(other.Reveal())) == 1
}

// Forget takes a secret that is no longer valid out of the redactor, so that
// short-lived ones do not add up. Each New wants at most one Forget.
func (v Value) Forget() {
	if v.held != nil {
		Default.Remove(*v.held)
	}
}

func (v Value) mark() string {
	if v.held == nil {
		return ""
	}
	return Mark
}

// String returns Mark.
func (v Value) String() string { return v.mark() }

// GoString returns Mark.
func (v Value) GoString() string { return v.mark() }

// Format prints Mark for every verb.
func (v Value) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, v.mark()) }

// MarshalText writes Mark: a configuration written back does not hold secrets.
func (v Value) MarshalText() ([]byte, error) { return []byte(v.mark()), nil }

// MarshalJSON writes Mark as a string.
func (v Value) MarshalJSON() ([]byte, error) { return []byte(`"` + v.mark() + `"`), nil }

// LogValue is Mark.
func (v Value) LogValue() slog.Value { return slog.StringValue(v.mark()) }

// UnmarshalText takes a secret from a configuration or a request.
func (v *Value) UnmarshalText(text []byte) error {
	*v = New(string(text))
	return nil
}
