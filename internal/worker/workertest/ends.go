package workertest

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"mindroom/internal/worker"
)

// stubborn ignores SIGTERM, says that it is up, and stays.
const stubborn = `trap '' TERM; echo up; while :; do sleep 1; done`

func testExit(t *testing.T, p Place) {
	for name, c := range map[string]struct {
		program string
		cause   worker.Cause
		code    int
		signal  string
	}{
		"good":   {"echo done", worker.CauseExited, 0, ""},
		"bad":    {"echo done; exit 3", worker.CauseExited, 3, ""},
		"killed": {"echo done; kill -9 $$", worker.CauseSignalled, -9, "SIGKILL"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := begin(t, p, c.program)
			exit := r.ended()
			r.gone()
			r.is(exit, c.cause, &c.code)
			if exit.Signal != c.signal || exit.Output != "done\n" {
				t.Errorf("signal %q, output %q", exit.Signal, exit.Output)
			}
			// An end that is asked for too late changes nothing.
			again := r.end(false)
			r.is(again, c.cause, &c.code)
		})
	}
}

// The program gets the argv, the environment and the directory of its Spec and
// nothing of ours.
func testSurroundings(t *testing.T, p Place) {
	r := specify(t, p, `pwd; echo "[$HOME][$GREETING]"`)
	r.spec.Env = append(r.spec.Env, "GREETING=good day")
	r.backend = p.New(t)
	r.start()
	if got, want := r.ended().Output, r.spec.Dir+"\n[][good day]\n"; got != want {
		t.Errorf("it wrote %q, not %q", got, want)
	}
}

func testGraceful(t *testing.T, p Place) {
	r := begin(t, p, `trap 'echo bye; exit 7' TERM; echo up; while :; do sleep 0.05; done`)
	r.wrote("up")
	if _, ok := r.backend.Exit(r.spec.Run); ok {
		t.Error("an end is told of a running process")
	}
	exit := r.end(true)
	r.gone()
	r.is(exit, worker.CauseEnded, number(7))
	if !strings.HasSuffix(exit.Output, "bye\n") {
		t.Errorf("the program could not end by itself: %q", exit.Output)
	}
	<-r.backend.Ended(r.spec.Run)
}

// A program that ignores the asking is killed, at once or after the grace.
func testForced(t *testing.T, p Place) {
	for name, graceful := range map[string]bool{"at once": false, "after the grace": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := begin(t, p, stubborn)
			r.wrote("up")
			exit := r.end(graceful)
			r.gone()
			r.is(exit, worker.CauseEnded, number(-9))
		})
	}
}

// The supervisor's own deadline ends the tree; nobody here has to do anything.
func testDeadline(t *testing.T, p Place) {
	r := specify(t, p, `echo up; sleep 600`)
	r.spec.Deadline = 300 * time.Millisecond
	r.backend = p.New(t)
	r.start()
	exit := r.ended()
	r.gone()
	r.is(exit, worker.CauseDeadline, nil)
}

// A tree ends as a whole, whatever its members did to leave it: when its program
// returns, and when the end is asked for.
func testTree(t *testing.T, p Place) {
	const escape = `(setsid sh -c 'trap "" TERM HUP; exec >/dev/null 2>&1; sleep 600' &) ; sleep 600 & `
	t.Run("returned", func(t *testing.T) {
		t.Parallel()
		r := begin(t, p, escape+`echo up`)
		exit := r.ended()
		r.gone()
		r.is(exit, worker.CauseExited, number(0))
	})
	t.Run("ended", func(t *testing.T) {
		t.Parallel()
		r := begin(t, p, escape+`echo up; wait`)
		r.wrote("up")
		r.end(false)
		r.gone()
	})
}

// A caller without time learns that nothing is proven, and may ask again.
func testImpatient(t *testing.T, p Place) {
	r := begin(t, p, stubborn)
	r.wrote("up")
	if exit, err := r.backend.End(expired(t), r.spec.Run, r.spec.Folder, r.handle, false); err != nil && !errors.Is(err, worker.ErrUnproven) {
		t.Errorf("%+v, %v", exit, err)
	}
	r.is(r.end(false), worker.CauseEnded, nil)
	r.gone()
}

func testEndTwice(t *testing.T, p Place) {
	r := begin(t, p, stubborn)
	r.wrote("up")
	exits := make([]worker.Exit, 4)
	var group sync.WaitGroup
	for i := range exits {
		group.Go(func() { exits[i], _ = r.backend.End(within(t), r.spec.Run, r.spec.Folder, r.handle, i%2 == 0) })
	}
	group.Wait()
	r.gone()
	for _, exit := range exits {
		r.is(exit, worker.CauseEnded, nil)
		if !exit.At.Equal(exits[0].At) {
			t.Errorf("two ends of one process: %v and %v", exit.At, exits[0].At)
		}
	}
}
