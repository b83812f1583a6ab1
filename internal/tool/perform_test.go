package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// ending is one way in which a performed call ends.
type ending struct {
	name     string
	change   func(*rig)
	decision func(Plan) *Decision
	ctx      func() context.Context
	want     string // what happened, in order
	state    State
	kind     FaultKind
}

const (
	untilPolicy = "lane live surface authority policy"
	untilLive   = untilPolicy + " before route live"
	untilGate   = untilLive + " surface authority"
	untilBody   = untilGate + " begin body"
	ends        = " after end audit release"
)

func decided(approved bool, digest string) func(Plan) *Decision {
	return func(p Plan) *Decision {
		if digest == "" {
			digest = p.Args.Digest()
		}
		kind := Denied
		if approved {
			kind = Approved
		}
		return &Decision{Kind: kind, Digest: digest, Depends: p.Depends, By: "@ben:example.org", Reason: "because"}
	}
}

func ended() context.Context {
	ctx, end := context.WithCancel(context.Background())
	end()
	return ctx
}

func asks(r *rig) { r.verdict = Verdict{Kind: Ask, Rule: "a rule"} }

func returns(out Outcome) func(*rig) {
	return func(r *rig) { r.body = func(context.Context, Invocation) Outcome { return out } }
}

// endings are all the ways a call ends once it is performed.
var endings = []ending{
	{name: "allowed", want: untilBody + " bound" + ends, state: StateCompleted},

	{name: "it is ended in its lane", ctx: ended, want: "lane live after end audit", state: StateFailed, kind: FaultCancelled},
	{name: "it is ended in its lane, with its owner", ctx: ended, change: revokedAt(0), want: "lane live after end audit", state: StateFailed, kind: FaultRevoked},
	{name: "no lane, and its caller has gone", ctx: ended, change: func(r *rig) { r.terms.Lane = nil },
		want: "live surface authority policy before route live live after end audit", state: StateFailed, kind: FaultCancelled},

	{name: "its owner ended", change: revokedAt(0), want: "lane live" + ends, state: StateFailed, kind: FaultRevoked},
	{name: "not granted", change: func(r *rig) { r.grant = func(Name) bool { return false } }, want: "lane live surface" + ends, state: StateFailed, kind: FaultNotAvailable},
	{name: "not authorised", change: func(r *rig) { r.answer = No }, want: "lane live surface authority" + ends, state: StateFailed, kind: FaultUnauthorised},
	{name: "it cannot be told", change: func(r *rig) { r.answer = CannotTell }, want: "lane live surface authority" + ends, state: StateFailed, kind: FaultUnavailable},
	{name: "a rule denies", change: func(r *rig) { r.verdict = Verdict{Kind: Deny, Reason: "no"} }, want: untilPolicy + ends, state: StateFailed, kind: FaultDenied},
	{name: "a rule denies what a person approved", change: func(r *rig) { r.verdict = Verdict{Kind: Deny, Reason: "no"} }, decision: decided(true, ""),
		want: untilPolicy + ends, state: StateFailed, kind: FaultDenied},
	{name: "asks, nobody decided", change: asks, want: untilPolicy + ends, state: StateFailed, kind: FaultDenied},
	{name: "asks, approved", change: asks, decision: decided(true, ""), want: untilBody + " bound" + ends, state: StateCompleted},
	{name: "asks, denied", change: asks, decision: decided(false, ""), want: untilPolicy + ends, state: StateFailed, kind: FaultDenied},
	{name: "asks, approved for other arguments", change: asks, decision: decided(true, strings.Repeat("0", 64)), want: untilPolicy + ends, state: StateFailed, kind: FaultDenied},
	{name: "asks, approved under other settings", change: asks, decision: func(p Plan) *Decision {
		return &Decision{Kind: Approved, Digest: p.Args.Digest(), Depends: "others"}
	}, want: untilPolicy + ends, state: StateFailed, kind: FaultNotAvailable},
	{name: "asks, approved for no arguments", change: asks, decision: func(Plan) *Decision { return &Decision{Kind: Approved} }, want: untilPolicy + ends, state: StateFailed, kind: FaultDenied},
	{name: "a rule allows what a person denied", decision: decided(false, ""), want: untilPolicy + ends, state: StateFailed, kind: FaultDenied},
	{name: "a rule allows what a person approved", decision: decided(true, ""), want: untilBody + " bound" + ends, state: StateCompleted},
	{name: "a hook declines", change: func(r *rig) { r.before = Faultf(FaultDeclined, "not now") }, want: untilPolicy + " before" + ends, state: StateFailed, kind: FaultDeclined},
	{name: "nowhere to run", change: func(r *rig) { r.route = errors.New("no worker") }, want: untilPolicy + " before route" + ends, state: StateFailed, kind: FaultUnavailable},
	{name: "access is lost while a hook is asked", change: func(r *rig) { r.whileHooked = func() { r.answer = No } }, want: untilGate + ends, state: StateFailed, kind: FaultUnauthorised},
	{name: "a grant ends while a hook is asked", change: func(r *rig) {
		r.whileHooked = func() { r.grant = func(Name) bool { return false } }
	}, want: untilLive + " surface" + ends, state: StateFailed, kind: FaultNotAvailable},
	{name: "its owner ended at the gate", change: revokedAt(1), want: untilLive + ends, state: StateFailed, kind: FaultRevoked},
	{name: "BEGIN fails", change: func(r *rig) { r.beginErr = errors.New("disk full") }, want: untilGate + " begin live" + ends, state: StateFailed, kind: FaultUnavailable},
	{name: "BEGIN fails because its owner ended", change: func(r *rig) { r.beginErr = errors.New("fenced"); revokedAt(2)(r) }, want: untilGate + " begin live" + ends, state: StateFailed, kind: FaultRevoked},
	{name: "shutting down", change: func(r *rig) { _ = r.group.Wait() }, want: untilGate + " begin" + ends, state: StateFailed, kind: FaultUnavailable},

	{name: "the body fails", change: returns(Failed(Faultf(FaultTool, "no such page"))), want: untilBody + ends, state: StateFailed, kind: FaultTool},
	{name: "the body cannot tell", change: returns(Indeterminate("Sent.")), want: untilBody + ends, state: StateIndeterminate, kind: FaultIndeterminate},
	{name: "the body was cancelled", change: returns(Outcome{State: StateCancelled}), want: untilBody + ends, state: StateCancelled, kind: FaultCancelled},
	{name: "the body cannot tell, nor say why", change: returns(Outcome{State: StateIndeterminate}), want: untilBody + ends, state: StateIndeterminate, kind: FaultIndeterminate},
	{name: "the body panics", change: func(r *rig) { r.body = func(context.Context, Invocation) Outcome { panic("oh") } }, want: untilBody + ends, state: StateIndeterminate, kind: FaultIndeterminate},
	{name: "the body leaves its goroutine", change: func(r *rig) {
		r.overThrown = true // for the owner of goroutines that is a fault of the program
		r.body = func(context.Context, Invocation) Outcome { runtime.Goexit(); return Outcome{} }
	}, want: untilBody + ends, state: StateIndeterminate, kind: FaultIndeterminate},
	{name: "the body returns NaN", change: returns(Completed(json.RawMessage(`{"x":NaN}`))), want: untilBody + ends, state: StateFailed, kind: FaultResult},
	{name: "the body returns no value", change: returns(Outcome{State: StateCompleted}), want: untilBody + ends, state: StateFailed, kind: FaultResult},
	{name: "the body says nothing", change: returns(Outcome{}), want: untilBody + ends, state: StateIndeterminate, kind: FaultIndeterminate},
	{name: "the body says it is pending", change: returns(Outcome{State: StatePending}), want: untilBody + ends, state: StateIndeterminate, kind: FaultIndeterminate},
	{name: "the body fails without a fault", change: returns(Outcome{State: StateFailed}), want: untilBody + ends, state: StateFailed, kind: FaultTool},
	{name: "the result is too large", change: func(r *rig) { r.bound = Faultf(FaultTooLarge, "70 KiB") }, want: untilBody + " bound" + ends, state: StateFailed, kind: FaultTooLarge},
	{name: "END fails", change: func(r *rig) { r.endErr = errors.New("disk full") }, want: untilBody + " bound after end release", state: StateIndeterminate, kind: FaultIndeterminate},
	{name: "another end was first", change: func(r *rig) {
		r.already = &Outcome{State: StateCancelled, Fault: Faultf(FaultCancelled, "ended by its owner")}
	},
		want: untilBody + " bound after end release", state: StateCancelled, kind: FaultCancelled},
}

// revokedAt ends the owner after Live passed n times.
func revokedAt(n int) func(*rig) {
	return func(r *rig) { r.liveFor, r.notLive = n, Faultf(FaultRevoked, "the run was revoked") }
}

// TestPerform prints, under -v, what happens in which order for every ending,
// and holds sentences 3 to 6 for each.
func TestPerform(t *testing.T) {
	t.Parallel()
	table := make([]string, len(endings))
	t.Cleanup(func() { t.Log("\n" + strings.Join(table, "\n")) })
	for i, c := range endings {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			plan := r.plan(t)
			if c.change != nil {
				c.change(r)
			}
			ctx := t.Context()
			if c.ctx != nil {
				ctx = c.ctx()
			}
			var decision *Decision
			if c.decision != nil {
				decision = c.decision(plan)
			}
			out := r.room.Perform(ctx, plan, decision, r.terms)
			kind := FaultKind("")
			if out.Fault != nil {
				kind = out.Fault.Kind
			}
			table[i] = fmt.Sprintf("%-42s %-13s %-20s %s", c.name, out.State, kind, &r.trace)
			if got := r.String(); got != c.want {
				t.Errorf("order: %s\n want: %s", got, c.want)
			}
			if out.State != c.state || kind != c.kind {
				t.Errorf("ended %s %q, want %s %q: %v", out.State, kind, c.state, c.kind, out.Fault)
			}
			holdSentences(t, r, out)
		})
	}
}

func holdSentences(t *testing.T, r *rig, out Outcome) {
	t.Helper()
	steps := strings.Fields(r.String())
	began, ran := slices.Index(steps, "begin"), slices.Index(steps, "body")
	if ran >= 0 && (began < 0 || ran < began || r.beginErr != nil) {
		t.Errorf("sentence 3: the body ran before BEGIN was written: %s", &r.trace)
	}
	if ran < 0 && out.State != StateFailed && out.State != StateCancelled {
		t.Errorf("sentence 4: a call that never ran ended %s", out.State)
	}
	if r.count("body") > 1 || r.count("begin") > 1 {
		t.Errorf("sentence 5: it ran twice: %s", &r.trace)
	}
	if r.count("after") != 1 || r.count("end") != 1 || len(r.after) != 1 {
		t.Errorf("sentence 6: after hooks and the ledger saw %d and %d ends", r.count("after"), r.count("end"))
	}
	if r.endErr == nil && r.already == nil && (len(r.audited) != 1 || r.audited[0].Outcome.State != out.State || r.audited[0].Began != (began >= 0 && r.beginErr == nil)) {
		t.Errorf("sentence 6: the audit has %+v", r.audited)
	}
	if out.State == StateCompleted != (out.Fault == nil) || out.State == StateCompleted != (out.Value != nil) {
		t.Errorf("ended %s with value %s and fault %v", out.State, out.Value, out.Fault)
	}
	if n := len(r.events); n < 2 || r.events[0] != EventQueued || r.events[n-1] != EventEnded || slices.Contains(r.events, EventBegan) != (began >= 0 && r.beginErr == nil) {
		t.Errorf("it was observed as %v", r.events)
	}
}

// Sentence 5: a body that ignores the end of its context is left behind, and
// its call ends indeterminate when Linger has passed, not before.
func TestSentence5BodyThatDoesNotStop(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		plan := r.plan(t)
		leave := make(chan struct{})
		r.body = func(context.Context, Invocation) Outcome { <-leave; return Completed(json.RawMessage("1")) }
		ctx, end := context.WithTimeout(t.Context(), time.Minute)
		defer end()
		start := time.Now()
		out := r.room.Perform(ctx, plan, nil, r.terms)
		if took := time.Since(start); took != 70*time.Second {
			t.Errorf("it took %s; a minute, and ten seconds to stop, were due", took)
		}
		if out.State != StateIndeterminate || r.String() != untilBody+ends {
			t.Errorf("ended %s: %s", out.State, &r.trace)
		}
		if live := r.group.Live(); len(live) != 1 || live[0] != "call "+plan.Ref.String() {
			t.Errorf("the owner of bodies has %v", live)
		}
		close(leave) // and only now may the owner's Wait return
	})
}

// A body that stops within Linger tells itself how it ended.
func TestBodyThatStops(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.room.Linger = time.Second
		plan := r.plan(t)
		r.body = func(ctx context.Context, _ Invocation) Outcome {
			<-ctx.Done()
			time.Sleep(999 * time.Millisecond)
			return Failed(Faultf(FaultTool, "stopped, nothing sent"))
		}
		ctx, end := context.WithTimeout(t.Context(), time.Minute)
		defer end()
		out := r.room.Perform(ctx, plan, nil, r.terms)
		if out.State != StateFailed || out.Fault.Message != "stopped, nothing sent" {
			t.Errorf("ended %s: %v", out.State, out.Fault)
		}
	})
}

// Sentence 6: a call that has no plan leaves the same traces as one that ran.
func TestSentence6Refuse(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	call := r.call(t, `{"text":7}`)
	plan, fault := r.room.Plan(t.Context(), call, r.terms)
	if fault == nil {
		t.Fatal("planned")
	}
	r.steps = nil
	out := r.room.Refuse(ended(), plan, fault, r.terms)
	if out.State != StateFailed || out.Fault != fault || r.String() != "after end audit" {
		t.Errorf("refused as %s %v: %s", out.State, out.Fault, &r.trace)
	}
	if e := r.audited[0]; e.Call.Ref != call.Ref || e.Began || e.Outcome.Fault != fault {
		t.Errorf("audited %+v", e)
	}
}

// What a fault says is masked before anybody hears it, and the fault itself, which a toolkit may share, is not changed.
func TestMask(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.room.Mask = func(s string) string { return strings.ReplaceAll(s, "hunter2", "[redacted]") }
	shared := Faultf(FaultTool, "hunter2 was refused")
	out := r.room.Refuse(t.Context(), r.plan(t), shared, r.terms)
	for who, heard := range map[string]*Fault{"the caller": out.Fault, "hooks": r.after[0].Fault, "the audit": r.audited[0].Outcome.Fault} {
		if heard.Message != "[redacted] was refused" || heard.Kind != FaultTool {
			t.Errorf("%s heard %v", who, heard)
		}
	}
	if shared.Message != "hunter2 was refused" {
		t.Errorf("the toolkit's own fault is %v now", shared)
	}
}

// TestBound holds that what leaves the room is what Bound made of it.
func TestBound(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	plan := r.plan(t)
	r.terms.Bound = func(_ context.Context, in Invocation, v json.RawMessage) (json.RawMessage, *Fault) {
		return json.RawMessage(fmt.Sprintf(`[%d,%q]`, len(v), in.Name)), nil
	}
	out := r.room.Perform(t.Context(), plan, nil, r.terms)
	if want := `[7,"kit.echo"]`; string(out.Value) != want || string(r.after[0].Value) != want || string(r.audited[0].Outcome.Value) != want {
		t.Errorf("left as %s, the hooks saw %s", out.Value, r.after[0].Value)
	}
}
