//go:build !goolm

package seal

import (
	"errors"
	"testing"
)

// A build without encryption says so and what to do.
func TestLeftOut(t *testing.T) {
	t.Parallel()
	if d, err := Open(t.Context(), Config{}); d != nil || !errors.Is(err, ErrLeftOut) {
		t.Fatalf("%v %v", d, err)
	}
}
