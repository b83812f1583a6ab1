package provider

import (
	"context"
	"strings"
	"testing"
	"time"

	"mindroom/internal/model/modeltest"
	"mindroom/internal/turn"
)

// prompt bounds a cancellation: far less than the provider would be waited for,
// and much for a busy machine.
const prompt = 20 * time.Second

// Sentence 5: before the first byte, in the middle of the stream, in the middle
// of a call, and while another attempt is waited for.
func TestCancel(t *testing.T) {
	t.Parallel()
	for name, d := range dialects() {
		s := stage{d}
		halfCall := s.halfCall()
		halfCall.Then = modeltest.Hang
		for what, c := range map[string]struct {
			scene modeltest.Scene
			// waits: the provider was given up for the moment.
			waits bool
			keeps string
		}{
			"before the first byte": {modeltest.Scene{Before: time.Hour}, false, ""},
			"after text":            {s.begun(modeltest.Hang), false, "Once upon"},
			"before text":           {s.opened(modeltest.Hang), false, ""},
			"in a call":             {halfCall, false, ""},
			"between two attempts":  {s.status(429, "Retry-After", "19"), true, ""},
		} {
			t.Run(name+"/"+what, func(t *testing.T) {
				t.Parallel()
				server := modeltest.NewServer(t)
				server.Scene = c.scene
				w := open(t, d, server, fault{})
				id := w.ask()
				w.reaches(server, c.keeps)
				if c.waits {
					select {
					case <-w.waits:
					case <-time.After(patient):
						t.Fatal("no other attempt is waited for")
					}
				}
				began := time.Now()
				if ok, err := w.engine.Cancel(t.Context(), id, ann); err != nil || !ok {
					t.Fatalf("Cancel: %v, %v", ok, err)
				}
				state, reason := w.ends(id)
				if took := time.Since(began); took > prompt {
					t.Errorf("the end took %s", took)
				}
				said := w.final()
				if state != turn.Cancelled || reason != "cancelled" || !strings.HasPrefix(said, c.keeps) || !strings.Contains(said, "cancelled by user") {
					t.Errorf("the turn ended %s (%s) with %q", state, reason, said)
				}
				if n := len(server.Times()); n != 1 || w.ran.Load() != 0 {
					t.Errorf("the provider was asked %d times and the tool ran %d times", n, w.ran.Load())
				}
				w.secret()
			})
		}
	}
}

// A service that is told to stop does not wait for a provider that is silent; the
// next start asks again, and the room has one answer.
func TestStopDuringAStall(t *testing.T) {
	t.Parallel()
	for name, d := range dialects() {
		s := stage{d}
		for what, stall := range map[string]modeltest.Scene{
			"before the first byte": {Before: time.Hour}, "after text": s.begun(modeltest.Hang), "between two attempts": s.status(429, "Retry-After", "19"),
		} {
			t.Run(name+"/"+what, func(t *testing.T) {
				t.Parallel()
				server := modeltest.NewServer(t)
				server.Scenes = []modeltest.Scene{stall, s.fine()}
				w := open(t, d, server, fault{})
				id := w.ask()
				w.reaches(server, "")
				began := time.Now()
				w.stop()
				if took := time.Since(began); took > prompt {
					t.Errorf("the stop took %s", took)
				}
				w.start(d, server, fault{})
				state, reason := w.ends(id)
				if said := w.final(); state != turn.Answered || reason != "" || said != "All is well." {
					t.Errorf("the turn ended %s (%s) with %q", state, reason, said)
				}
				if n := len(server.Times()); n != 2 {
					t.Errorf("the provider was asked %d times", n)
				}
				w.secret()
			})
		}
	}
}

// reaches waits until the provider has the request, and the room what it said.
func (w *world) reaches(server *modeltest.Server, text string) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), patient)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for len(server.Times()) == 0 || !strings.Contains(w.shown(), text) {
		select {
		case <-tick.C:
		case <-ctx.Done():
			w.t.Fatalf("the provider has %d requests and the room %q", len(server.Times()), w.shown())
		}
	}
}
