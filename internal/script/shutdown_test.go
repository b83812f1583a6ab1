package script_test

import (
	"errors"
	"fmt"
	"testing"

	"mindroom/internal/lifecycle/step"
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

// A launch that hangs keeps a stop from revoking no other run, and its own neither:
// it finds that out, and ends what it began (S74).
func TestAStopDuringALaunchThatHangs(t *testing.T) {
	t.Parallel()
	h := opened(t, options{})
	other := h.start(sleeper)
	at, goOn, launched := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	h.onStep(step.LaunchSnapshot, func() { close(at); <-goOn })
	go func() {
		run, err := h.Launch(t.Context(), request(t, sleeper))
		if err == nil && run.State != script.Interrupted {
			err = fmt.Errorf("the launch gave a run that is %s", run.State)
		}
		launched <- err
	}()
	<-at
	revoked, stopped := make(chan struct{}), make(chan error, 1)
	h.onStep(step.RunRevoked, func() { close(revoked) })
	go func() { stopped <- h.Shutdown(t.Context()) }()
	<-revoked
	open, err := h.All(t.Context(), false, 0)
	must(t, err)
	for _, run := range open {
		if !run.Revoked() || run.Reason != script.ReasonShutdown {
			t.Errorf("run %s is %s, revoked %v, because of %s", run.ID, run.State, run.Revoked(), run.Reason)
		}
	}
	close(goOn)
	must(t, <-launched)
	must(t, <-stopped)
	h.settled()
	all, err := h.All(t.Context(), true, 0)
	must(t, err)
	if len(all) != 2 {
		t.Fatalf("%d runs, not this and %s", len(all), other.ID)
	}
	for _, run := range all {
		if run.State != script.Interrupted || run.Reason != script.ReasonShutdown {
			t.Errorf("run %s is %s, because of %s", run.ID, run.State, run.Reason)
		}
	}
}
