package tool

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"mindroom/internal/config"
)

func TestPlan(t *testing.T) {
	t.Parallel()
	onlyOther := func(n Name) bool { return n.Function == "other" }
	for _, c := range []struct {
		name, arguments string
		change          func(*rig, *Call)
		want            string // the trace
		kind            FaultKind
		retryable       bool
		message         string
	}{
		{name: "allowed", want: "surface authority policy"},
		{name: "a rule denies", change: func(r *rig, _ *Call) { r.verdict = Verdict{Kind: Deny, Reason: "no"} }, want: "surface authority policy"},
		{name: "a rule asks", change: func(r *rig, _ *Call) { r.verdict = Verdict{Kind: Ask, Timeout: time.Hour} }, want: "surface authority policy"},
		{name: "unknown, and something resembles it", change: func(_ *rig, c *Call) { c.Name.Function = "ecoh" }, want: "surface",
			kind: FaultNotAvailable, message: "was granted but the agent does not have it any more"},
		{name: "not granted", change: func(r *rig, _ *Call) { r.grant = onlyOther }, want: "surface",
			kind: FaultNotAvailable, message: "kit.echo is not granted here"},
		{name: "neither granted nor there", change: func(r *rig, c *Call) { r.grant, c.Name.Function = onlyOther, "eco" }, want: "surface",
			kind: FaultUnknown, message: "did you mean echo?"},
		{name: "nothing resembles it", change: func(r *rig, c *Call) { r.grant, c.Name.Function = onlyOther, strings.Repeat("x", 200) }, want: "surface",
			kind: FaultUnknown, message: "use one of the tools you were given"},
		{name: "no such agent", change: func(_ *rig, c *Call) { c.Who.Agent = "nobody" },
			kind: FaultNotAvailable, message: "no longer configured"},
		{name: "bad arguments", arguments: `{"text":7}`, want: "surface",
			kind: FaultArguments, message: "text: expected string, received the number 7"},
		{name: "not authorised", change: func(r *rig, _ *Call) { r.answer = No }, want: "surface authority",
			kind: FaultUnauthorised, message: "@anna:example.org may not use agent watcher"},
		{name: "it cannot be told", change: func(r *rig, _ *Call) { r.answer = CannotTell }, want: "surface authority",
			kind: FaultUnavailable, retryable: true, message: "try again"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			arguments := `{"text":"hello"}`
			if c.arguments != "" {
				arguments = c.arguments
			}
			call := r.call(t, arguments)
			if c.change != nil {
				c.change(r, &call)
			}
			plan, fault := r.room.Plan(t.Context(), call, r.terms)
			if got := r.String(); got != c.want {
				t.Errorf("order: %s\n want: %s", got, c.want)
			}
			if !reflect.DeepEqual(plan.Call, call) {
				t.Error("the call was changed")
			}
			if c.kind == "" {
				if fault != nil || plan.Verdict != r.verdict || plan.Depends == "" || plan.Function == nil {
					t.Errorf("plan %+v, fault %v", plan.Verdict, fault)
				}
				return
			}
			if fault == nil || fault.Kind != c.kind || fault.Retryable != c.retryable || !strings.Contains(fault.Message, c.message) {
				t.Errorf("fault %+v, want %s %v with %q", fault, c.kind, c.retryable, c.message)
			}
		})
	}
}

// Sentence 1: planning has no effect and is repeatable.
func TestSentence1PlanHasNoEffect(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.verdict = Verdict{Kind: Ask, Rule: "a rule", Timeout: time.Hour}
	call := r.call(t, `{"text":"hello"}`)
	first, fault := r.room.Plan(t.Context(), call, r.terms)
	if fault != nil {
		t.Fatal(fault)
	}
	for range 3 {
		again, fault := r.room.Plan(t.Context(), call, r.terms)
		if fault != nil || !reflect.DeepEqual(again.Call, first.Call) || again.Function != first.Function ||
			again.Verdict != first.Verdict || again.Depends != first.Depends {
			t.Fatalf("two plans of one call differ: %+v and %+v, %v", first, again, fault)
		}
	}
	for _, effect := range []string{"lane", "live", "before", "route", "begin", "body", "bound", "after", "end", "audit"} {
		if r.has(effect) {
			t.Errorf("planning did %s", effect)
		}
	}
	if len(r.events) != 0 {
		t.Errorf("planning was observed as %v", r.events)
	}
}

// TestQuestion holds what a policy is asked: everything by value, and
// preapproval only where the door knows such a thing.
func TestQuestion(t *testing.T) {
	t.Parallel()
	yes := func(Name) bool { return true }
	for _, c := range []struct {
		name  string
		terms Terms
		want  Question
	}{
		{"an attended door", Terms{}, Question{}},
		{"unattended, no list", Terms{Unattended: true}, Question{Unattended: true}},
		{"unattended, listed", Terms{Unattended: true, Preapproved: yes}, Question{Unattended: true, Preapproved: true}},
		{"unattended, not listed", Terms{Unattended: true, Preapproved: func(Name) bool { return false }}, Question{Unattended: true}},
	} {
		r := newRig(t)
		var got Question
		r.room.Policy = policyFunc(func(q Question) Verdict { got = q; return Verdict{Kind: Allow} })
		call := r.call(t, `{"text":"hello"}`)
		plan, fault := r.room.Plan(t.Context(), call, c.terms)
		if fault != nil {
			t.Fatal(fault)
		}
		c.want.Call, c.want.Function, c.want.Snapshot = call, plan.Function, r.room.Config.Current()
		if !reflect.DeepEqual(got.Call, c.want.Call) || got.Function != c.want.Function || got.Snapshot != c.want.Snapshot ||
			got.Unattended != c.want.Unattended || got.Preapproved != c.want.Preapproved {
			t.Errorf("%s: asked %+v", c.name, got)
		}
	}
}

// Sentence 2: what changed while a call waited for its lane decides.
func TestSentence2RecheckAfterTheLane(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		change func(testing.TB, *rig)
		want   FaultKind
	}{
		{"nothing", func(testing.TB, *rig) {}, ""},
		{"an unrelated reload", func(tb testing.TB, r *rig) { r.publish(tb, `["kit"]`) }, ""},
		{"the function is gone", func(tb testing.TB, r *rig) { r.publish(tb, `[]`) }, FaultNotAvailable},
		{"the function is excluded", func(tb testing.TB, r *rig) { r.publish(tb, `[{"kit": {"exclude_tools": ["echo"]}}]`) }, FaultNotAvailable},
		{"its settings changed", func(tb testing.TB, r *rig) { r.publish(tb, `[{"kit": {"limit": 9}}]`) }, FaultNotAvailable},
		{"the grant is gone", func(_ testing.TB, r *rig) { r.grant = func(Name) bool { return false } }, FaultNotAvailable},
		{"the requester left", func(_ testing.TB, r *rig) { r.answer = No }, FaultUnauthorised},
		{"a rule denies now", func(_ testing.TB, r *rig) { r.verdict = Verdict{Kind: Deny, Reason: "not today"} }, FaultDenied},
		{"a rule asks now", func(_ testing.TB, r *rig) { r.verdict = Verdict{Kind: Ask} }, FaultDenied},
		{"the policy forgot its verdict", func(_ testing.TB, r *rig) { r.verdict = Verdict{} }, FaultDenied},
		{"the owner ended", func(_ testing.TB, r *rig) { r.liveFor, r.notLive = 0, Faultf(FaultRevoked, "revoked") }, FaultRevoked},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			plan := r.plan(t)
			r.terms.Lane = laneFunc(func() { c.change(t, r) })
			out := r.room.Perform(t.Context(), plan, nil, r.terms)
			if c.want == "" {
				if out.State != StateCompleted {
					t.Errorf("ended %s: %v", out.State, out.Fault)
				}
				return
			}
			if out.State != StateFailed || out.Fault.Kind != c.want || r.has("begin") || r.has("body") {
				t.Errorf("ended %s %v after: %s", out.State, out.Fault, &r.trace)
			}
		})
	}
}

type policyFunc func(Question) Verdict

func (policyFunc) Might(*config.Snapshot, *Function) bool           { return true }
func (f policyFunc) Evaluate(_ context.Context, q Question) Verdict { return f(q) }

// laneFunc is a lane in which something happens while the call waits.
type laneFunc func()

func (f laneFunc) Acquire(context.Context, Ref, Class) (func(), error) {
	f()
	return func() {}, nil
}

// A body gets the newest configuration, not the one it was planned under.
func TestInvocation(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	plan := r.plan(t)
	r.publish(t, `["kit"]`)
	var newest *config.Snapshot = r.room.Config.Current()
	if out := r.room.Perform(t.Context(), plan, nil, r.terms); out.State != StateCompleted {
		t.Fatalf("ended %s: %v", out.State, out.Fault)
	}
	if r.in.Snapshot != newest || r.in.Workspace != "/workspace/watcher" || r.in.Enclosure != nil || !reflect.DeepEqual(r.in.Call, plan.Call) {
		t.Errorf("the body got %+v", r.in)
	}
}

// A toolkit that could not be built explains an unknown name.
func TestUnknownNamesWhatIsMissing(t *testing.T) {
	t.Parallel()
	surface := &Surface{Problems: []error{&BuildError{Toolkit: "mcp_tickets", Agent: "watcher", Err: errors.New("down")}}}
	want := `there is no tool "close_ticket"; use one of the tools you were given (Missing at the moment: the tools of mcp_tickets.)`
	if f := unknown(surface, Name{Function: "close_ticket"}); f.Kind != FaultUnknown || f.Message != want {
		t.Errorf("%v", f)
	}
}
