package workertest

import (
	"errors"
	"strings"
	"testing"

	"mindroom/internal/worker"
)

// escaped leaves a child in a session of its own, and says so.
const escaped = `setsid sleep 600 & sleep 600 & echo up; wait`

// A supervisor that is killed is noticed, and what it held is ended.
func testLost(t *testing.T, p Place) {
	r := begin(t, p, escaped)
	r.wrote("up")
	p.KillSupervisor(t, r.spec)
	exit := r.ended()
	r.gone()
	r.is(exit, worker.CauseLost, nil)
	if !strings.Contains(exit.Output, "up") {
		t.Errorf("what it wrote is lost: %q", exit.Output)
	}
}

// earlier starts a program in a primary that is dead when it returns.
func earlier(t *testing.T, p Place, program, want string) *run {
	t.Helper()
	r := specify(t, p, program)
	r.handle = p.Earlier(t, r.spec, want)
	r.backend = p.New(t)
	if r.backend.Ended(r.spec.Run) != nil {
		t.Error("it says that it supervises a run of an earlier process")
	}
	return r
}

// The next primary ends the process of an earlier one by its handle and folder,
// and may do so again.
func testEarlier(t *testing.T, p Place) {
	r := earlier(t, p, escaped, "up")
	r.lives()
	first := r.end(false)
	r.gone()
	if first.Cause == worker.CauseLost || !strings.Contains(first.Output, "up") {
		t.Errorf("the end is %+v, output %q", first, first.Output)
	}
	again := r.end(false)
	if again.Cause != first.Cause || !again.At.Equal(first.At) {
		t.Errorf("a second end says %+v, the first %+v", again, first)
	}
}

// What ended while nobody looked is told as it was.
func testEarlierEnded(t *testing.T, p Place) {
	r := earlier(t, p, `echo up; exit 5`, "up")
	exit := r.end(false)
	r.gone()
	// The earlier primary may have died before the program returned.
	if exit.Cause == worker.CauseExited && (exit.Code == nil || *exit.Code != 5) {
		t.Errorf("the end is %+v", exit)
	}
}

// With primary and supervisor both gone the folder is enough.
func testBothLost(t *testing.T, p Place) {
	r := earlier(t, p, escaped, "up")
	p.KillSupervisor(t, r.spec)
	exit, err := r.backend.End(within(t), r.spec.Run, r.spec.Folder, r.handle, false)
	if err != nil && !errors.Is(err, worker.ErrLost) || err == nil && exit.Cause != worker.CauseLost {
		t.Errorf("%+v, %v", exit, err)
	}
	r.gone()
}

// A handle that a backend cannot read proves nothing, and nothing is touched
// because of it.
func testForeignHandle(t *testing.T, p Place) {
	r := earlier(t, p, escaped, "up")
	for name, h := range map[string]worker.Handle{
		"later version": {Version: r.handle.Version + 1000, Backend: r.handle.Backend, State: r.handle.State},
		"other backend": {Version: r.handle.Version, Backend: "elsewhere", State: r.handle.State},
		"no handle":     {},
	} {
		if exit, err := r.backend.End(within(t), r.spec.Run, r.spec.Folder, h, false); !errors.Is(err, worker.ErrUnproven) {
			t.Errorf("%s: %+v, %v", name, exit, err)
		}
	}
	r.lives()
	r.end(false)
	r.gone()
}
