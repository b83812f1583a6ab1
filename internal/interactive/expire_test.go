package interactive

import (
	"context"
	"testing"
	"time"
)

// A question that nobody touches is over when its time is, also where an earlier
// process asked it; one that has time left is asked for again in time.
func TestQuestionsExpireByThemselves(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	start := h.now
	h.asks(asked("old", ann, "$a"))
	h.sends()
	h.now = start.Add(lasting - 10*time.Minute)
	h.asks(asked("new", ann, "$b"))
	if wait, err := h.desk.expireDue(t.Context()); err != nil || wait.Round(time.Second) != 10*time.Minute || h.stands("old").State != Open {
		t.Errorf("ten minutes before: look again in %v, %v; it is %s", wait, err, h.stands("old").State)
	}
	h.now = start.Add(lasting)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- h.desk.Run(ctx) }()
	for deadline := time.Now().Add(20 * time.Second); h.stands("old").State == Open; time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("it is still open")
		}
	}
	stop()
	h.must(<-done)
	if a := h.stands("old"); a.State != Expired || h.restated["old"] != language.Closed() || h.buttons("old") != "sent queued sent queued" {
		t.Errorf("it is %s and shown as %q with %s", a.State, h.restated["old"], h.buttons("old"))
	}
	if a := h.stands("new"); a.State != Open {
		t.Errorf("the other is %s", a.State)
	}
	if wait, err := h.desk.expireDue(t.Context()); err != nil || wait != looksEvery {
		t.Errorf("look again in %v, %v", wait, err)
	}
}
