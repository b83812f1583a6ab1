package script_test

import (
	"errors"
	"testing"

	"mindroom/internal/script"
	"mindroom/internal/store"
)

// A stop that cannot store that it revokes touches no run by itself, and says so.
// What the end of the process trees then does to the runs is the stop's doing: they
// are interrupted by it, and never said to have failed (S59, S74).
func TestAStopThatCannotRevoke(t *testing.T) {
	t.Parallel()
	h := opened(t, options{})
	h.start(sleeper)
	h.start(sleeper)
	full := h.fills(store.Full, 1)
	if err := h.Shutdown(t.Context()); !errors.As(err, new(*store.Error)) {
		t.Fatalf("the stop says %v", err)
	}
	open, err := h.All(t.Context(), false, 0)
	must(t, err)
	for _, run := range open {
		if run.State != script.Running || run.Revoked() {
			t.Errorf("a run is %s, revoked %v", run.State, run.Revoked())
		}
	}
	if !h.freed(full) || len(open) != 2 {
		t.Fatalf("%d runs are open", len(open))
	}
	must(t, h.backend.Close(t.Context()))
	h.settled()
	ended, err := h.All(t.Context(), true, 0)
	must(t, err)
	for _, run := range ended {
		if run.State != script.Interrupted || run.Reason != script.ReasonShutdown {
			t.Errorf("a run is %s, because of %s", run.State, run.Reason)
		}
	}
}
