//go:build linux

package guard

import (
	"encoding/json"
	"errors"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"

	"mindroom/internal/supervise/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The table's own laws: dead is final and reachable from everywhere, nothing goes back, no phase is missing.
func TestTransitions(t *testing.T) {
	t.Parallel()
	order := []wire.Phase{wire.PhaseStarting, wire.PhaseRunning, wire.PhaseDetached, wire.PhaseEnding, wire.PhaseDead}
	rank := map[wire.Phase]int{}
	for i, p := range order {
		rank[p] = i
	}
	if len(transitions) != len(order) || len(transitions[wire.PhaseDead]) != 0 {
		t.Errorf("table %v", transitions)
	}
	for from, tos := range transitions {
		dies := from == wire.PhaseDead
		for _, to := range tos {
			if rank[to] <= rank[from] {
				t.Errorf("%s goes back to %s", from, to)
			}
			dies = dies || to == wire.PhaseDead
		}
		if !dies {
			t.Errorf("%s cannot die", from)
		}
	}
}

func TestWrongTransitionIsToldAndNotMade(t *testing.T) {
	t.Parallel()
	g := &guard{phase: wire.PhaseDead, talk: &talk{}}
	if g.enter(wire.PhaseRunning); g.phase != wire.PhaseDead || g.talk.trouble == nil {
		t.Errorf("phase %s, trouble %v", g.phase, g.talk.trouble)
	}
}

// pipe is the way from the supervisor to its client.
func pipe(t *testing.T) (supervisor, client *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = r.Close(), w.Close() })
	return w, r
}

// Invariant 7: a client that does not read costs one state, however many were published, and gets the newest.
func TestSlowClientGetsTheNewestState(t *testing.T) {
	t.Parallel()
	w, r := pipe(t)
	k := &talk{f: w, quit: make(chan struct{}), kick: make(chan struct{}, 1)}
	const last = 100000
	for i := range int64(last + 1) {
		k.publish(wire.State{Total: i}) // nobody speaks yet: nothing may wait
	}
	k.wg.Go(k.speak)
	var s wire.State
	if err := wire.ReadFrame(r, &s); err != nil || s.Total != last {
		t.Errorf("got %d, %v", s.Total, err)
	}
	close(k.quit)
	k.wg.Wait()
	w.Close()
	if err := wire.ReadFrame(r, &s); err == nil {
		t.Errorf("a second state came: %+v", s)
	}
}

// Invariant 7: even a client that is stopped in the middle of a frame is given up in bounded time.
func TestStoppedClientIsGivenUp(t *testing.T) {
	t.Parallel()
	w, _ := pipe(t)
	k := &talk{f: w, quit: make(chan struct{}), kick: make(chan struct{}, 1)}
	k.publish(wire.State{Trouble: string(make([]byte, 1<<20))}) // more than a pipe holds
	k.wg.Go(k.speak)
	done := make(chan struct{})
	go func() { k.close(); close(done) }()
	select {
	case <-done:
	case <-time.After(lastWord + 10*time.Second):
		t.Fatal("the supervisor waits for its client")
	}
}

func TestAskIsAnsweredOnce(t *testing.T) {
	t.Parallel()
	k := &talk{kick: make(chan struct{}, 1)}
	k.answered(3)
	k.answered(2)
	if !k.asked() {
		t.Error("not asked")
	}
	k.note(errors.New("first"))
	k.note(errors.New("second"))
	k.publish(wire.State{})
	if b, err := json.Marshal(k.state); err != nil || k.asked() || k.state.Answered != 3 || k.state.Trouble != "first" {
		t.Errorf("state %s, %v", b, err)
	}
}
