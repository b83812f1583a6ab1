package turncli

import (
	"context"
	"testing"
	"time"

	"mindroom/internal/approval"
	"mindroom/internal/tool"
)

// A call that asks waits in its window without a place in the lane, and its
// decision ends it there (C22, M24).
func TestACallWaitsForAPerson(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		state  approval.State
		status string
		code   string
		ran    int
	}{
		"approved":  {approval.Approved, "completed", "", 1},
		"denied":    {approval.Denied, "failed", "approval_denied", 0},
		"expired":   {approval.Expired, "failed", "approval_expired", 0},
		"withdrawn": {approval.Withdrawn, "cancelled", "cancelled", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t)
			kept := newHolds()
			o := h.open(asking(kept))
			scope, cl := h.window(o, "toolu_1")
			cl.asks(1)
			if _, held := kept.call(ref(o, 1)); !held {
				t.Error("the waiting call is not held")
			}
			if a := cl.call(2, "kit.echo", `{"text":"beside"}`); a.text("status") != "completed" {
				t.Errorf("a call beside it: %s", a.raw)
			}
			held := ends(t, func() answer { return cl.call(1, "kit.ask", `{"text":"x"}`) })
			h.decide(ref(o, 1), c.state, "because")
			a := held()
			if a.text("status") != c.status || a.outcome("code") != c.code || h.kit.count("ask") != c.ran {
				t.Errorf("after %d runs: %s", h.kit.count("ask"), a.raw)
			}
			if _, held := kept.call(ref(o, 1)); held || kept.begun[ref(o, 1)] != c.ran {
				t.Errorf("held %v, begun %d times", held, kept.begun[ref(o, 1)])
			}
			if e := scope.Close(t.Context()); e.Paused || e.Err != nil {
				t.Errorf("the command is left %+v", e)
			}
		})
	}
}

// A command that has returned while only waiting calls are left pauses; each of
// them is made once when it is decided, in this process or the next (M24, M28).
func TestPausedCallsAreResumed(t *testing.T) {
	t.Parallel()
	for name, next := range map[string]bool{"in this process": false, "in the next": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t)
			kept := newHolds()
			open := h.opening(asking(kept))
			o, err := h.Open(open)
			must(t, err)
			scope, c := h.window(o, "toolu_1")
			c.submit(1, "kit.ask", `{"text":"one"}`)
			c.submit(2, "kit.ask", `{"text":"two"}`)
			c.submit(3, "kit.block", `{}`)
			c.until(1, "waiting")
			c.until(2, "waiting")
			<-h.kit.entered
			closed := ends(t, func() tool.Enclosed { return scope.Close(context.Background()) })
			h.kit.release <- struct{}{}
			if e := closed(); !e.Paused {
				t.Fatalf("the command is left %+v", e)
			}
			if a := c.submit(4, "kit.echo", `{"text":"late"}`); a.status != 409 {
				t.Errorf("a call after the pause: %d %s", a.status, a.raw)
			}
			if a := c.receipt(1); a.text("status") != "waiting" {
				t.Errorf("the receipt is %s", a.raw)
			}
			h.decide(ref(o, 1), approval.Approved, "")
			h.decide(ref(o, 2), approval.Denied, "no")
			one, _ := kept.call(ref(o, 1))
			two, _ := kept.call(ref(o, 2))
			if next {
				must(t, h.Registry.Close(t.Context()))
				if a := c.receipt(1); a.status != 401 {
					t.Errorf("the old grant reads %d %s", a.status, a.raw)
				}
				h.closed = false // the next process has a registry of its own
				open.Began = h.now()
				if o, err = h.Open(open); err != nil {
					t.Fatal(err)
				}
			}
			for range 2 {
				d, over := h.decision(ref(o, 1))
				if out := o.Resume(t.Context(), one, d); !over || out.State != tool.StateCompleted || string(out.Value) != `"one"` {
					t.Errorf("approved: %+v", out)
				}
				d, _ = h.decision(ref(o, 2))
				if out := o.Resume(t.Context(), two, d); out.State != tool.StateFailed || out.Fault.Kind != tool.FaultDenied {
					t.Errorf("denied: %+v", out)
				}
			}
			if n := h.kit.count("ask"); n != 1 {
				t.Errorf("made %d times", n)
			}
			_, c = h.window(o, "toolu_2")
			a := c.receipt(1)
			if a.text("status") != "completed" || a.text("parent_bash_call_id") != "toolu_1" {
				t.Errorf("the receipt is %s", a.raw)
			}
			if kept.begun[ref(o, 1)] != 1 || kept.begun[ref(o, 2)] != 0 {
				t.Errorf("begun %v", kept.begun)
			}
		})
	}
}

// A held call that began and is unknown to this process is never run again (C22).
func TestBegunHeldCallsNeverRunAgain(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	kept := newHolds()
	o := h.open(asking(kept))
	scope, c := h.window(o, "toolu_1")
	c.asks(1)
	scope.Close(t.Context())
	h.decide(ref(o, 1), approval.Approved, "")
	call, _ := kept.call(ref(o, 1))
	kept.begun[ref(o, 1)]++
	d, _ := h.decision(ref(o, 1))
	if out := o.Resume(t.Context(), call, d); out.State != tool.StateFailed || h.kit.count("ask") != 0 {
		t.Errorf("it ran %d times: %+v", h.kit.count("ask"), out)
	}
}

// A decision under an id that an earlier process used is no word about a new call
// (spec/agentcli.md 9.146).
func TestAnIDInheritsNoApproval(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	kept := newHolds()
	open := h.opening(asking(kept))
	first, err := h.Open(open)
	must(t, err)
	scope, c := h.window(first, "toolu_1")
	c.asks(1)
	scope.Close(t.Context())
	h.decide(ref(first, 1), approval.Approved, "")
	first.Release(t.Context())
	second, err := h.Open(open)
	must(t, err)
	_, c = h.window(second, "toolu_2")
	if a := c.call(1, "kit.ask", `{"text":"x"}`); a.text("status") != "failed" || h.kit.count("ask") != 0 {
		t.Errorf("after %d runs: %s", h.kit.count("ask"), a.raw)
	}
	if a := c.call(2, "kit.echo", `{"text":"x"}`); a.text("status") != "completed" {
		t.Errorf("another call: %s", a.raw)
	}
}

// A shell that needed approval runs in a window of its own when it is resumed, and
// pauses again when its calls ask; Conclude ends it.
func TestAResumedShell(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	kept := newHolds()
	o := h.open(asking(kept))
	h.command("nested", func(_ context.Context, env []string) (any, error) {
		c := h.client(env)
		c.submit(2, "kit.ask", `{"text":"inner"}`)
		c.until(2, "waiting")
		return "returned", nil
	})
	scope, c := h.window(o, "toolu_1")
	c.submit(1, "kit.ask", `{"text":"stands for a shell that asks"}`)
	c.until(1, "waiting")
	scope.Close(t.Context())
	h.decide(ref(o, 1), approval.Denied, "")
	call, _ := kept.call(ref(o, 1))
	shell := call
	shell.ID = uuid(7)
	shell.Name = tool.Name{Toolkit: "shell", Function: "run_shell_command"}
	shell.Args = document(t, `{"command":"nested"}`)
	must(t, kept.Hold(nil, shell))
	d := tool.Decision{Kind: tool.Approved, Digest: shell.Args.Digest(), By: "@anna:x"}
	began := time.Now()
	out := o.Resume(t.Context(), shell, d)
	if out.State != tool.StatePaused || out.Then != tool.StateCompleted {
		t.Fatalf("the shell is %+v", out)
	}
	h.decide(ref(o, 2), approval.Approved, "")
	inner, ok := kept.call(ref(o, 2))
	if !ok || inner.Parent == nil || inner.Parent.ID != uuid(7) {
		t.Fatalf("the inner call is %+v", inner)
	}
	word, _ := h.decision(ref(o, 2))
	if out := o.Resume(t.Context(), inner, word); out.State != tool.StateCompleted {
		t.Errorf("the inner call: %+v", out)
	}
	if out := o.Conclude(t.Context(), shell, d, out, began); out.State != tool.StateCompleted || string(out.Value) != `"returned"` {
		t.Errorf("the shell: %+v", out)
	}
	if kept.ended[shell.Ref] != 1 {
		t.Errorf("the shell's hold ended %d times", kept.ended[shell.Ref])
	}
}
