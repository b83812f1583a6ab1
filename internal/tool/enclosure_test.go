package tool

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"mindroom/internal/media"
)

// A paused call leaves the room without an end, and gets the one its pause says
// when what it waits for is over: the same steps, in two halves.
func TestPause(t *testing.T) {
	t.Parallel()
	picture := []media.Ref{{Digest: "d"}}
	for name, c := range map[string]struct {
		result Enclosing
		state  State
		kind   FaultKind
		bound  *Fault
	}{
		"completes":                {result: Enclosing{Value: "output", Enclosed: Enclosed{Paused: true, Media: picture}}, state: StateCompleted},
		"fails":                    {result: Enclosing{Fault: Faultf(FaultTool, "timeout"), Enclosed: Enclosed{Paused: true, Media: picture}}, state: StateFailed, kind: FaultTool},
		"cannot tell":              {result: Enclosing{Fault: Faultf(FaultIndeterminate, "lost"), Enclosed: Enclosed{Paused: true}}, state: StateIndeterminate, kind: FaultIndeterminate},
		"its output is over bound": {result: Enclosing{Value: "output", Enclosed: Enclosed{Paused: true}}, bound: Faultf(FaultTooLarge, "70 KiB"), state: StateFailed, kind: FaultTooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			r.bound = c.bound
			r.body = func(ctx context.Context, _ Invocation) Outcome { return outcomeOf(ctx, c.result, nil) }
			plan := r.plan(t)
			out := r.room.Perform(context.Background(), plan, nil, r.terms)
			if out.State != StatePaused || r.has("after") || r.has("end") || r.has("audit") {
				t.Fatalf("it is %s after %s", out.State, r)
			}
			if !r.has("release") {
				t.Error("it holds its lane while it waits")
			}
			if has := len(out.Media) > 0; has != (c.state == StateCompleted && c.result.Media != nil) {
				t.Errorf("media %v", out.Media)
			}
			r.steps = nil
			end := r.room.Conclude(context.Background(), plan, nil, out, time.Now(), r.terms)
			if end.State != c.state || (end.Fault == nil) != (c.kind == "") || end.Fault != nil && end.Fault.Kind != c.kind {
				t.Errorf("it ended %s, %v", end.State, end.Fault)
			}
			if got := r.String(); got != "after end audit" {
				t.Errorf("its end took the steps %s", got)
			}
		})
	}
}

// A pause that does not say how the call ends would never end it.
func TestUnsoundPause(t *testing.T) {
	t.Parallel()
	for _, out := range []Outcome{{State: StatePaused}, {State: StatePaused, Then: StateCompleted, Value: json.RawMessage(`{`)}, {State: StatePaused, Then: StateFailed}} {
		if got := sound(out); got.State != StateIndeterminate {
			t.Errorf("%v is taken for %s", out, got.State)
		}
	}
}

// What calls inside a call ask of the turn reaches it, however the call itself
// ended; their media only with a result.
func TestEnclosing(t *testing.T) {
	t.Parallel()
	e := Enclosing{Value: "x", Enclosed: Enclosed{Control: ControlEndTurn, Media: []media.Ref{{Digest: "d"}}}}
	if out := outcomeOf(context.Background(), e, nil); out.State != StateCompleted || out.Control != ControlEndTurn || len(out.Media) != 1 {
		t.Errorf("a result became %+v", out)
	}
	e.Fault = Faultf(FaultTool, "no")
	if out := outcomeOf(context.Background(), e, nil); out.State != StateFailed || out.Control != ControlEndTurn || out.Media != nil {
		t.Errorf("a fault became %+v", out)
	}
}
