package heard

import (
	"strings"
	"sync"
)

// Text is what was written to it so far. It is ready to use, by several goroutines
// at once.
type Text struct {
	mu   sync.Mutex
	text strings.Builder
}

// Write appends b and never fails.
func (t *Text) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text.Write(b)
}

// String is all that was written.
func (t *Text) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text.String()
}
