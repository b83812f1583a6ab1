package wire

import (
	"encoding/json"
	"fmt"
	"time"
)

// instantLayout has a fixed width, so that instants sort as text.
const instantLayout = "2006-01-02T15:04:05.000000Z"

// Instant is a wall-clock instant with microseconds, UTC, of fixed width in JSON. Its zero value is JSON null.
type Instant struct{ time.Time }

// Now is the current instant, cut to what JSON keeps.
func Now() Instant { return Instant{time.Now().UTC().Truncate(time.Microsecond)} }

// String is the JSON text without its quotes; empty for the zero instant.
func (i Instant) String() string {
	if i.IsZero() {
		return ""
	}
	return i.UTC().Format(instantLayout)
}

// MarshalJSON implements json.Marshaler.
func (i Instant) MarshalJSON() ([]byte, error) {
	if i.IsZero() {
		return []byte("null"), nil
	}
	return json.Marshal(i.String())
}

// UnmarshalJSON implements json.Unmarshaler; it takes only its own form and null.
func (i *Instant) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		*i = Instant{}
		return nil
	}
	var s string
	if err := json.Unmarshal(b, &s); err != nil {
		return fmt.Errorf("instant: %w", err)
	}
	t, err := time.Parse(instantLayout, s)
	if err != nil {
		return fmt.Errorf("instant: %w", err)
	}
	i.Time = t
	return nil
}
