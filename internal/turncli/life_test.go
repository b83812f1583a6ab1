package turncli

import (
	"context"
	"errors"
	"testing"
	"time"

	"mindroom/internal/approval"
	"mindroom/internal/tool"
)

// A grant lasts 24 hours from the response's beginning, by a clock that nobody
// sets (M35).
func TestTheGrantsTime(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	o := h.open(nil)
	_, c := h.window(o, "toolu_1")
	for _, ahead := range []time.Duration{25 * time.Hour, -25 * time.Hour} {
		h.ahead.Store(int64(ahead))
		if a := c.post(`{"operation":"tools.list"}`); a.status != 200 || !o.Live() {
			t.Errorf("the clock set by %s: %d %s", ahead, a.status, a.raw)
		}
	}
	h.ahead.Store(0)
	if left := time.Until(o.ends); left > GrantTime || left < GrantTime-time.Minute {
		t.Errorf("the grant ends in %s", left)
	}
	if _, err := h.Open(h.opening(func(open *Opening) { open.Began = h.now().Add(-GrantTime) })); !errors.Is(err, ErrExpired) {
		t.Errorf("a response that began a day ago: %v", err)
	}
	future := h.open(func(open *Opening) { open.Began = h.now().Add(time.Hour) })
	if left := time.Until(future.ends); left > GrantTime {
		t.Errorf("a response that begins in an hour: %s", left)
	}
}

// When the time is over the grant ends, what runs is cancelled, and what waits for
// a person goes on waiting without its command.
func TestTheGrantExpires(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	soon := h.open(func(open *Opening) { open.Began = h.now().Add(50*time.Millisecond - GrantTime) })
	select {
	case <-soon.gone:
	case <-time.After(patience):
		t.Fatal("the grant never ended")
	}
	if soon.Live() || h.find(soon.token.Reveal()) != nil {
		t.Error("a grant whose time is over is good")
	}
	kept := newHolds()
	o := h.open(asking(kept))
	scope, c := h.window(o, "toolu_1")
	c.submit(1, "kit.ask", `{"text":"x"}`)
	c.submit(2, "kit.block", `{}`)
	<-h.kit.entered
	c.until(1, "waiting")
	o.expire()
	if a := c.receipt(1); a.status != 401 {
		t.Errorf("a receipt: %d %s", a.status, a.raw)
	}
	if e := scope.Close(t.Context()); !e.Paused {
		t.Errorf("the command is left %+v", e)
	}
	if _, over := h.decision(ref(o, 1)); over {
		t.Error("the question is over")
	}
	if o.Live() || o.find(uuid(2)) != nil {
		t.Error("the owner is live")
	}
	o.Release(t.Context())
	if _, held := kept.call(ref(o, 1)); !held {
		t.Error("the waiting call is not held any more")
	}
}

// A command that goes on in the background keeps its window and the grant until its
// job ends, after the response too; other commands' background processes do not
// (M19, M23, M25).
func TestAJobHoldsItsWindow(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	o := h.open(nil)
	first, c := h.window(o, "toolu_1")
	second, d := h.window(o, "toolu_2")
	c.call(1, "kit.picture", `{"text":"x"}`)
	so, done := first.Hold()
	if len(so.Media) != 1 {
		t.Errorf("the job's command is left %+v", so)
	}
	d.call(2, "kit.echo", `{"text":"x"}`)
	second.Close(t.Context())
	o.Release(t.Context())
	if a := c.call(3, "kit.echo", `{"text":"x"}`); a.text("status") != "completed" {
		t.Errorf("a call of the job: %d %s", a.status, a.raw)
	}
	if a := d.call(4, "kit.echo", `{"text":"x"}`); a.status != 409 {
		t.Errorf("a call of another command's process: %d %s", a.status, a.raw)
	}
	if a := d.receipt(2); a.text("status") != "completed" {
		t.Errorf("an earlier receipt: %d %s", a.status, a.raw)
	}
	if _, err := o.Open(t.Context(), tool.Ref{Door: tool.DoorTurn, Owner: o.turn, ID: "1.3.toolu_3"}); err == nil {
		t.Error("a new command starts after the response")
	}
	c.submit(5, "kit.block", `{}`)
	<-h.kit.entered
	done()
	done()
	if a := c.receipt(5); a.text("status") != "running" {
		t.Errorf("a call of a job that has ended: %d %s", a.status, a.raw)
	}
	h.kit.release <- struct{}{}
	<-o.gone
	if a := c.receipt(5); a.status != 401 {
		t.Errorf("after the job: %d %s", a.status, a.raw)
	}
}

// A call that fails inside the program fails its own command and no other.
func TestAFaultInsideIsItsCommandsOwn(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.Room.Hooks = breaking{}
	o := h.open(nil)
	first, c := h.window(o, "toolu_1")
	second, d := h.window(o, "toolu_2")
	if a := c.call(1, "kit.echo", `{"text":"break"}`); a.text("status") != "failed" || a.outcome("code") != string(tool.FaultIndeterminate) {
		t.Errorf("the call: %s", a.raw)
	}
	if a := d.call(2, "kit.echo", `{"text":"x"}`); a.text("status") != "completed" {
		t.Errorf("another call: %s", a.raw)
	}
	if a := c.call(3, "kit.fail", `{}`); a.text("status") != "failed" || a.outcome("error") != "the disk is full" {
		t.Errorf("a call that fails: %s", a.raw)
	}
	if e := first.Close(t.Context()); e.Err == nil {
		t.Errorf("its command is left %+v", e)
	}
	if e := second.Close(t.Context()); e.Err != nil {
		t.Errorf("the other command is left %+v", e)
	}
}

// breaking hooks panic at one text.
type breaking struct{}

func (breaking) Before(_ context.Context, c tool.Call) *tool.Fault {
	if string(c.Args.Canonical()) == `{"text":"break"}` {
		panic("broken")
	}
	return nil
}

func (breaking) After(context.Context, tool.Call, tool.Outcome, time.Duration) {}

// A command's call that is ended cancels what runs, and leaves what waits to
// whoever owns the turn then.
func TestACommandsCallEnds(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	kept := newHolds()
	o := h.open(asking(kept))
	scope, c := h.window(o, "toolu_1")
	c.submit(1, "kit.block", `{}`)
	c.submit(2, "kit.ask", `{"text":"x"}`)
	<-h.kit.entered
	c.until(2, "waiting")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if e := scope.Close(ctx); !e.Paused {
		t.Errorf("the command is left %+v", e)
	}
	if a := c.receipt(1); a.text("status") != "cancelled" {
		t.Errorf("what ran: %s", a.raw)
	}
	if _, held := kept.call(ref(o, 2)); !held {
		t.Error("what waits is not held")
	}
	h.decide(ref(o, 2), approval.Approved, "")
	call, _ := kept.call(ref(o, 2))
	d, _ := h.decision(ref(o, 2))
	if out := o.Resume(t.Context(), call, d); out.State != tool.StateCompleted {
		t.Errorf("resumed: %+v", out)
	}
}

// A cancelled response withdraws calls that were let go of as well.
func TestCancelWithdrawsPausedCalls(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	kept := newHolds()
	o := h.open(asking(kept))
	scope, c := h.window(o, "toolu_1")
	c.asks(1)
	if e := scope.Close(t.Context()); !e.Paused {
		t.Fatalf("the command is left %+v", e)
	}
	o.Cancel(t.Context())
	if d, over := h.decision(ref(o, 1)); !over || d.Kind != tool.Withdrawn {
		t.Errorf("the question is %+v", d)
	}
	if _, held := kept.call(ref(o, 1)); held {
		t.Error("the call is still held")
	}
}

// Where no goroutine is started any more, a call cannot be withdrawn; its command
// does not wait for that.
func TestWithdrawingWhileTheRuntimeStops(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	o := h.open(asking(newHolds()))
	scope, c := h.window(o, "toolu_1")
	c.submit(1, "kit.ask", `{"text":"x"}`)
	c.until(1, "waiting")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if e := scope.Close(ctx); !e.Paused {
		t.Fatalf("the command is left %+v", e)
	}
	h.Registry.Run = refusing{}
	o.Cancel(t.Context())
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, c := range o.calls {
		if c.window.active != 0 || o.busy != 0 {
			t.Errorf("%d calls of the command and %d goroutines are still waited for", c.window.active, o.busy)
		}
	}
}

// refusing starts nothing, as a group that is being stopped.
type refusing struct{}

func (refusing) Go(string, func(context.Context) error) bool { return false }

// A window's id is the provider's where that is a safe header value that meant no
// other command, and one of its own otherwise.
func TestWindowIDs(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	o := h.open(nil)
	for _, c := range []struct {
		id, want string
	}{
		{"1.1.toolu_01", "toolu_01"}, {"1.1.call:a.b-c|d", "call:a.b-c|d"}, {"2.1.toolu_01", ""}, {"1.2.", ""}, {"1.2.a b", ""},
		{"1.2.a\r\nX: y", ""}, {"1.2.ü", ""}, {"1", ""}, {"1.1." + string(make([]byte, 129)), ""},
	} {
		scope, err := o.Open(t.Context(), tool.Ref{Door: tool.DoorTurn, Owner: o.turn, ID: c.id})
		must(t, err)
		got := h.client(scope.Env()).window
		if c.want != "" && got != c.want || c.want == "" && (len(got) != 39 || got[:7] != "native-") {
			t.Errorf("%q has window %q", c.id, got)
		}
	}
}
