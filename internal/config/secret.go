package config

import "log/slog"

// Secret is a value that does not print. The zero Secret is not set.
type Secret struct{ text string }

const mark = "[secret]"

func newSecret(text string) Secret { return Secret{text} }

// Reveal returns the value, for the one place that sends it.
func (s Secret) Reveal() string { return s.text }

// IsSet reports whether there is a value.
func (s Secret) IsSet() bool { return s.text != "" }

// String is a mark.
func (s Secret) String() string { return mark }

// GoString is a mark.
func (s Secret) GoString() string { return mark }

// LogValue is a mark.
func (s Secret) LogValue() slog.Value { return slog.StringValue(mark) }

// MarshalText is a mark.
func (s Secret) MarshalText() ([]byte, error) { return []byte(mark), nil }
