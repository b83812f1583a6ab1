package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	"mindroom/internal/lifecycle"
)

// Perform runs a plan at most once: lane, then everything a plan checks again,
// before hooks, BEGIN, body, after hooks, bound, END and audit. decision is a
// person's answer to an Ask; nil when nobody was asked. The outcome is what the
// ledger holds: another end that was first wins.
func (r *Room) Perform(ctx context.Context, plan Plan, decision *Decision, terms Terms) Outcome {
	way := passage{start: r.Now(), decision: decision}
	if terms.Observe != nil {
		terms.Observe(plan.Ref, EventQueued)
	}
	if terms.Lane != nil {
		release, err := terms.Lane.Acquire(ctx, plan.Ref, plan.Function.Class)
		if err != nil {
			return r.finish(ctx, plan, neverBegan(ctx, terms), way, terms)
		}
		defer release()
	}
	plan, decision, fault := r.decided(ctx, plan, decision, terms)
	way.decision = decision
	if fault != nil {
		if ctx.Err() != nil && decision == nil {
			return r.finish(ctx, plan, neverBegan(ctx, terms), way, terms)
		}
		return r.finish(ctx, plan, Failed(fault), way, terms)
	}
	if fault := r.Hooks.Before(ctx, plan.Call); fault != nil {
		return r.finish(ctx, plan, Failed(fault), way, terms)
	}
	body, err := r.Router.Route(ctx, plan.Call, plan.Function)
	if err != nil {
		return r.finish(ctx, plan, Failed(&Fault{Kind: FaultUnavailable, Retryable: true,
			Message: fmt.Sprintf("%s has nowhere to run right now: %v", plan.Name, err)}), way, terms)
	}
	// The gate: the last look before the line (spec/scripts.md 4.7).
	if fault := live(ctx, terms); fault != nil {
		return r.finish(ctx, plan, Failed(fault), way, terms)
	}
	if ctx.Err() != nil {
		return r.finish(ctx, plan, neverBegan(ctx, terms), way, terms)
	}
	// A person may have taken days and a hook seconds: what allowed the call then
	// must allow it now.
	snap := r.Config.Current()
	if _, fault := r.stands(ctx, plan, terms, snap); fault != nil {
		return r.finish(ctx, plan, Failed(fault), way, terms)
	}
	if err := terms.Ledger.Begin(ctx, plan.Ref); err != nil {
		return r.finish(ctx, plan, beginFailed(ctx, terms, err), way, terms)
	}
	way.began, way.place = true, placeOf(body)
	if terms.Observe != nil {
		terms.Observe(plan.Ref, EventBegan)
	}
	in := Invocation{Call: plan.Call, Snapshot: snap, Enclosure: terms.Enclosure, EndAtTimeout: terms.EndAtTimeout, Keep: r.keeper(plan.Call)}
	if r.Workspace != nil {
		in.Workspace = r.Workspace(snap, plan.Who)
	}
	out := within(ctx, in, sound(r.runBody(ctx, body, in)), terms)
	if out.State == StatePaused {
		return out
	}
	return r.finish(ctx, plan, out, way, terms)
}

// within is an outcome whose value is as large as its door allows.
func within(ctx context.Context, in Invocation, out Outcome, terms Terms) Outcome {
	if out.Value == nil || terms.Bound == nil {
		return out
	}
	value, fault := terms.Bound(ctx, in, out.Value)
	switch {
	case fault == nil:
		out.Value = value
	case out.State == StatePaused:
		out.Then, out.Value, out.Fault = StateFailed, nil, fault
	default:
		out = Failed(fault)
	}
	return out
}

// Conclude ends a call that Perform left paused: what it waited for is over. The
// call ends as its pause says, with out.Value or out.Fault as the caller has
// completed them; after hooks, receipt and audit follow as at every end. began is
// when the call began.
func (r *Room) Conclude(ctx context.Context, plan Plan, decision *Decision, out Outcome, began time.Time, terms Terms) Outcome {
	out.State, out.Then = out.Then, ""
	return r.finish(ctx, plan, sound(out), passage{start: began, decision: decision, began: true}, terms)
}

// passage is how far a call came on its way through Perform.
type passage struct {
	start    time.Time
	decision *Decision
	began    bool
	place    Place
}

// runBody calls a body and waits for it. A body that ignores the end of its
// context is left behind after Linger: its call ends indeterminate, and the
// owner of Run still waits for it.
func (r *Room) runBody(ctx context.Context, body Body, in Invocation) Outcome {
	result := make(chan Outcome, 1)
	started := r.Run.Go("call "+in.Ref.String(), func(context.Context) error {
		// It stands unless the body returns: a panic and a Goexit leave without.
		out := Indeterminate("Its body failed inside.")
		defer func() { result <- out }()
		if err := lifecycle.Call(func() error { out = body.Run(ctx, in); return nil }); err != nil {
			slog.Error("a tool's body panicked", "call", in.Ref.String(), "tool", in.Name.String(), "error", err)
		}
		return nil
	})
	if !started {
		return Failed(&Fault{Kind: FaultUnavailable, Retryable: true, Message: "the runtime is shutting down; the call was not run"})
	}
	select {
	case out := <-result:
		return out
	case <-ctx.Done():
	}
	linger := r.Linger
	if linger == 0 {
		linger = 10 * time.Second
	}
	timer := time.NewTimer(linger)
	defer timer.Stop()
	select {
	case out := <-result:
		return out
	case <-timer.C:
		return Indeterminate("It was interrupted and did not stop.")
	}
}

// sound holds what a body returned to what a receipt may say, whoever wrote the
// body and wherever it ran: a value is JSON, and every other end has its fault.
func sound(out Outcome) Outcome {
	switch out.State {
	case StateCompleted:
		if !json.Valid(out.Value) {
			return Failed(Faultf(FaultResult, "the tool's result is not strict JSON"))
		}
		out.Fault = nil
		return out
	case StatePaused:
		if out.Then != StateCompleted && out.Fault == nil || out.Then == StateCompleted && !json.Valid(out.Value) {
			return Indeterminate("Its body did not say what it waits for.")
		}
		return out
	case StateFailed, StateCancelled, StateIndeterminate:
	default:
		return Indeterminate("Its body did not say how it ended.")
	}
	out.Value = nil
	switch {
	case out.Fault != nil:
	case out.State == StateIndeterminate:
		out.Fault = Indeterminate("Its body did not say why.").Fault
	case out.State == StateCancelled:
		out.Fault = Faultf(FaultCancelled, "the tool was cancelled while it ran")
	default:
		out.Fault = Faultf(FaultTool, "the tool failed and did not say why")
	}
	return out
}
