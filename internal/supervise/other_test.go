//go:build !linux

package supervise_test

import (
	"context"
	"errors"
	"testing"

	"mindroom/internal/supervise"
)

// S57: an error elsewhere, and one that says so.
func TestUnsupported(t *testing.T) {
	t.Parallel()
	var e *supervise.Error
	if _, err := supervise.Start(context.Background(), supervise.Spec{Argv: []string{"/bin/ls"}}); !errors.As(err, &e) || e.Kind != supervise.KindUnsupported {
		t.Errorf("got %v", err)
	}
}
