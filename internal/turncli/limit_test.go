package turncli

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"mindroom/internal/approval"
	"mindroom/internal/tool"
)

// Sixty-four operations may be without an end; capacity comes back (M27).
func TestOperationsAreBounded(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	_, c := h.window(h.open(nil), "toolu_1")
	for n := range maxOperations {
		if a := c.submit(n, "kit.block", `{}`); a.status != 200 {
			t.Fatalf("call %d: %d %s", n, a.status, a.raw)
		}
	}
	for range maxOperations {
		<-h.kit.entered
	}
	for name, a := range map[string]answer{
		"a call":   c.submit(maxOperations, "kit.echo", `{"text":"x"}`),
		"describe": c.post(`{"operation":"tools.describe","toolkit":"kit","function":"echo"}`),
	} {
		if a.status != 422 || a.text("code") != string(CodeOperations) || !strings.Contains(a.text("detail"), "64") {
			t.Errorf("%s: %d %s", name, a.status, a.raw)
		}
	}
	if a := c.submit(0, "kit.block", `{}`); a.status != 200 {
		t.Errorf("joining: %d %s", a.status, a.raw)
	}
	h.kit.release <- struct{}{}
	deadline := 0
	for a := c.call(maxOperations, "kit.echo", `{"text":"x"}`); a.status != 200; a = c.call(maxOperations, "kit.echo", `{"text":"x"}`) {
		if deadline++; deadline > 10000 {
			t.Fatalf("no capacity came back: %s", a.raw)
		}
	}
	close(h.kit.release)
}

// A response holds 1,024 receipts, and those go on being read (M27).
func TestReceiptsAreBounded(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	o := h.open(nil)
	_, c := h.window(o, "toolu_1")
	c.call(1, "kit.echo", `{"text":"x"}`)
	o.mu.Lock()
	for n := 2; len(o.calls) < maxReceipts; n++ {
		o.calls[uuid(n)] = o.calls[uuid(1)]
	}
	o.mu.Unlock()
	if a := c.call(5000, "kit.echo", `{"text":"x"}`); a.status != 422 || a.text("code") != string(CodeReceipts) || !strings.Contains(a.text("detail"), "1024") {
		t.Errorf("one more: %d %s", a.status, a.raw)
	}
	if a := c.receipt(1); a.text("status") != "completed" {
		t.Errorf("an earlier one: %d %s", a.status, a.raw)
	}
}

// Only calls that begin count, and past the limit a call fails (M26).
func TestTheLimitOfCalls(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	kept := newHolds()
	o := h.open(func(open *Opening) { open.Calls, open.Holds = 2, kept })
	_, c := h.window(o, "toolu_1")
	c.asks(1)
	h.decide(ref(o, 1), approval.Denied, "no")
	for n, args := range map[int]string{2: `{}`, 3: `{"text":3}`} {
		if a := c.call(n, "kit.echo", args); a.outcome("code") != string(tool.FaultArguments) {
			t.Errorf("invalid arguments: %s", a.raw)
		}
	}
	c.call(4, "kit.nothing", `{}`)
	for n := 5; n < 7; n++ {
		if a := c.call(n, "kit.echo", `{"text":"x"}`); a.text("status") != "completed" {
			t.Errorf("call %d of the limit: %s", n, a.raw)
		}
	}
	if a := c.call(7, "kit.echo", `{"text":"x"}`); a.text("status") != "failed" || !strings.HasPrefix(a.outcome("error"), "Tool call limit reached") || a.outcome("code") != string(tool.FaultQuota) {
		t.Errorf("past the limit: %s", a.raw)
	}
	if a := c.call(8, "kit.ask", `{"text":"x"}`); a.text("status") != "failed" {
		t.Errorf("a person is asked about a call that cannot be made: %s", a.raw)
	}
	if h.kit.count("echo") != 2 {
		t.Errorf("%d ran", h.kit.count("echo"))
	}
}

// What asks for control ends the step: queued calls never run, running ones
// finish, nothing is admitted and no command starts; receipts are still read
// (C20).
func TestControlFences(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	o := h.open(nil)
	scope, c := h.window(o, "toolu_1")
	late, d := h.window(o, "toolu_2")
	c.submit(1, "kit.finish", `{}`)
	<-h.kit.entered
	c.submit(2, "kit.alone", `{}`) // behind it in the lane
	h.kit.release <- struct{}{}
	if a := c.until(1, "completed"); a.body["outcome"] != "done" {
		t.Errorf("the control call: %s", a.raw)
	}
	a := c.until(2, "cancelled")
	if !strings.Contains(a.outcome("error"), "kit.finish") || h.kit.count("block") != 0 {
		t.Errorf("the call behind it: %s", a.raw)
	}
	for name, a := range map[string]answer{
		"a call":   d.call(3, "kit.echo", `{"text":"x"}`),
		"describe": d.post(`{"operation":"tools.describe","toolkit":"kit","function":"echo"}`),
	} {
		if a.status != 409 || a.text("code") != string(CodeFenced) || !strings.Contains(a.text("detail"), "kit.finish") {
			t.Errorf("%s: %d %s", name, a.status, a.raw)
		}
	}
	if _, err := o.Open(t.Context(), tool.Ref{Door: tool.DoorTurn, Owner: o.turn, ID: "1.3.toolu_3"}); err == nil || !strings.Contains(err.Error(), "kit.finish") {
		t.Errorf("a command of the same step: %v", err)
	}
	if a := d.post(`{"operation":"tools.list"}`); a.status != 200 {
		t.Errorf("reading: %d %s", a.status, a.raw)
	}
	if e := scope.Close(t.Context()); e.Control != tool.ControlEndTurn {
		t.Errorf("the command is left %+v", e)
	}
	if e := late.Close(t.Context()); e.Control != tool.ControlNone {
		t.Errorf("another command is left %+v", e)
	}
	if a := c.receipt(1); a.text("status") != "completed" {
		t.Errorf("an earlier receipt: %s", a.raw)
	}
}

// A response that is cancelled with sixty-four operations under way leaves none,
// admits nothing and says of none that it had no effect (C16, C20).
func TestCancelledUnderLoad(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	kept := newHolds()
	o := h.open(asking(kept))
	scope, c := h.window(o, "toolu_1")
	for n := range 40 {
		c.submit(n, "kit.block", `{}`)
	}
	for range 40 {
		<-h.kit.entered
	}
	for n := 40; n < 60; n++ {
		c.asks(n)
	}
	for n := 60; n < maxOperations; n++ {
		c.submit(n, "kit.alone", `{}`) // queued behind what runs
	}
	closed := ends(t, func() tool.Enclosed { return scope.Close(context.Background()) })
	h.command("late", func(context.Context, []string) (any, error) { return nil, nil })
	o.Cancel(t.Context())
	if e := closed(); e.Paused || e.Err != nil {
		t.Errorf("the command is left %+v", e)
	}
	if a := c.call(100, "kit.echo", `{"text":"x"}`); a.status != 401 {
		t.Errorf("a call after it: %d %s", a.status, a.raw)
	}
	o.mu.Lock()
	for id, call := range o.calls {
		r := call.status
		if r != cancelled {
			t.Errorf("%s %s is %s: %s", id, call.Name, r, call.outcome)
		}
		never := strings.Contains(string(call.outcome), "never ran")
		if began := call.Name.Function == "block"; began == never {
			t.Errorf("%s: %s", call.Name, call.outcome)
		}
	}
	if o.busy != 0 || o.unfinished != 0 || len(o.windows) != 0 {
		t.Errorf("left: %d busy, %d unfinished, %d windows", o.busy, o.unfinished, len(o.windows))
	}
	o.mu.Unlock()
	for n := 40; n < 60; n++ {
		if d, over := h.decision(ref(o, n)); !over || d.Kind != tool.Withdrawn {
			t.Fatalf("the question about %d is %+v", n, d)
		}
	}
	if len(kept.kept) != 0 || h.kit.count("ask") != 0 {
		t.Errorf("%d are held, %d ran", len(kept.kept), h.kit.count("ask"))
	}
}

// Two responses under way know nothing of each other, though their providers gave
// equal ids.
func TestTwoOwners(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	one, two := h.open(nil), h.open(nil)
	_, a := h.window(one, "call_0")
	_, b := h.window(two, "call_0")
	if a.window != b.window || a.token == b.token {
		t.Fatalf("windows %q and %q", a.window, b.window)
	}
	for n, c := range []client{a, b} {
		if r := c.call(1, "kit.echo", fmt.Sprintf(`{"text":"%d"}`, n)); r.body["outcome"] != fmt.Sprint(n) {
			t.Errorf("owner %d: %s", n, r.raw)
		}
	}
	one.Cancel(t.Context())
	if r := b.call(2, "kit.echo", `{"text":"on"}`); r.text("status") != "completed" {
		t.Errorf("the other goes on: %s", r.raw)
	}
}
