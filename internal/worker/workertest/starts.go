package workertest

import (
	"errors"
	"path/filepath"
	"testing"

	"mindroom/internal/worker"
)

// A start that cannot be is refused with the proof that nothing runs, and
// nothing is known of it.
func testRefused(t *testing.T, p Place) {
	for name, spoil := range map[string]func(*worker.Spec){
		"no program":   func(s *worker.Spec) { s.Argv = []string{"/nowhere/to/be/found"} },
		"no directory": func(s *worker.Spec) { s.Dir = filepath.Join(s.Dir, "nowhere") },
		"no argv":      func(s *worker.Spec) { s.Argv = nil },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := specify(t, p, "sleep 600")
			r.backend = p.New(t)
			spoil(&r.spec)
			if _, err := r.backend.Start(within(t), r.spec); !errors.Is(err, worker.ErrNotStarted) {
				t.Errorf("the start says %v", err)
			}
			r.gone()
			if r.backend.Ended(r.spec.Run) != nil {
				t.Error("a run that was not started is known")
			}
			r.neverRan()
		})
	}
	t.Run("no time", func(t *testing.T) {
		t.Parallel()
		r := specify(t, p, "sleep 600")
		r.backend = p.New(t)
		h, err := r.backend.Start(expired(t), r.spec)
		switch {
		case err == nil: // it was quick enough
			r.handle = h
			r.end(false)
		case errors.Is(err, worker.ErrNotStarted):
		default: // left open: the end proves
			r.handle = worker.Handle{Version: 1, Backend: r.backend.Name()}
			r.neverRan()
		}
		r.gone()
	})
}

// neverRan holds that an end is provable of what never ran.
func (r *run) neverRan() {
	r.t.Helper()
	h := worker.Handle{Version: 1, Backend: r.backend.Name()}
	exit, err := r.backend.End(within(r.t), r.spec.Run, r.spec.Folder, h, false)
	if err != nil && !errors.Is(err, worker.ErrLost) || err == nil && exit.Cause != worker.CauseLost {
		r.t.Errorf("the end of what never ran: %+v, %v", exit, err)
	}
}

func testNeverStarted(t *testing.T, p Place) {
	r := specify(t, p, "sleep 600")
	r.backend = p.New(t)
	r.neverRan()
}

// A run has one process: a second start of it is refused and does not touch the
// first.
func testSecondStart(t *testing.T, p Place) {
	r := begin(t, p, stubborn)
	r.wrote("up")
	if _, err := r.backend.Start(within(t), r.spec); err == nil {
		t.Error("it was started twice")
	}
	r.lives()
	r.is(r.end(false), worker.CauseEnded, nil)
	r.gone()
}
