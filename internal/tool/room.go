package tool

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"mindroom/internal/config"
	"mindroom/internal/identity"
	"mindroom/internal/lifecycle"
	"mindroom/internal/media"
	"mindroom/internal/store"
)

// Room runs calls. One room serves every door; it is built once, by the
// composition root.
type Room struct {
	Registry  *Registry
	Config    *config.Holder
	Policy    Policy
	Authority Authority
	Hooks     Hooks
	Audit     Audit
	Router    Router
	// Workspace is the agent's folder for a requester; "" when it has none.
	Workspace func(*config.Snapshot, identity.Execution) string
	// Keep stores a file for its owner; nil where no files are kept.
	Keep func(ctx context.Context, o media.Owner, data io.Reader, mime, name string) (media.Ref, error)
	// Mask takes secrets out of what a fault says, because a fault quotes whatever
	// a body met and goes to callers, rooms, receipts and records; nil leaves it.
	Mask func(string) string
	// Now is the wall clock of records.
	Now func() time.Time
	// Run owns the goroutines of bodies; the composition root waits for it.
	Run lifecycle.Runner
	// Linger bounds how long an interrupted body may take to return before its
	// call ends indeterminate without it; 0 means ten seconds.
	Linger time.Duration
}

// Plan is a call that may be performed, and under which verdict.
type Plan struct {
	Call
	Function *Function
	Verdict  Verdict
	// Depends is the digest Function.Depends had when the plan was made.
	Depends string
}

// Plan checks a call without any effect: is the function on the door's and the
// agent's surface, do the arguments fit, may the requester, what does the policy
// say. It may be asked at any time and as often as wanted. A Deny or Ask is a
// plan, not a fault: Perform ends it with its audit record.
func (r *Room) Plan(ctx context.Context, call Call, terms Terms) (Plan, *Fault) {
	snap := r.Config.Current()
	f, fault := r.resolve(snap, call, terms)
	if fault != nil {
		return Plan{Call: call}, fault
	}
	plan := Plan{Call: call, Function: f, Depends: f.Depends}
	if fault := checkArguments(f, call.Args); fault != nil {
		return plan, fault
	}
	if fault := r.authorise(ctx, call, snap); fault != nil {
		return plan, fault
	}
	plan.Verdict = r.evaluate(ctx, plan, terms, snap)
	return plan, nil
}

func (r *Room) resolve(snap *config.Snapshot, call Call, terms Terms) (*Function, *Fault) {
	surface, err := r.Registry.Surface(snap, call.Who.Agent)
	if err != nil {
		return nil, Faultf(FaultNotAvailable, "agent %q is no longer configured", call.Who.Agent)
	}
	f := surface.Lookup(call.Name)
	if f == nil {
		if terms.Surface != nil && terms.Surface(call.Name) {
			return nil, Faultf(FaultNotAvailable, "%s was granted but the agent does not have it any more", call.Name)
		}
		return nil, unknown(surface, call.Name)
	}
	if terms.Surface != nil && !terms.Surface(call.Name) {
		return nil, Faultf(FaultNotAvailable, "%s is not granted here", call.Name)
	}
	return f, nil
}

func unknown(surface *Surface, name Name) *Fault {
	hint := "use one of the tools you were given"
	if near := surface.Nearest(name.Function); len(near) > 0 {
		hint = "did you mean " + strings.Join(near, ", ") + "?"
	}
	var missing []string
	for _, problem := range surface.Problems {
		var e *BuildError
		if errors.As(problem, &e) {
			missing = append(missing, e.Toolkit)
		}
	}
	if len(missing) > 0 {
		hint += " (Missing at the moment: the tools of " + strings.Join(missing, ", ") + ".)"
	}
	return Faultf(FaultUnknown, "there is no tool %q; %s", bounded(name.Function, 64), hint)
}

func (r *Room) authorise(ctx context.Context, call Call, snap *config.Snapshot) *Fault {
	switch r.Authority.May(ctx, call.Who, snap) {
	case Yes:
		return nil
	case No:
		return Faultf(FaultUnauthorised, "%s may not use agent %s in this room any more", call.Who.Requester, call.Who.Agent)
	default:
		return &Fault{Kind: FaultUnavailable, Retryable: true, Message: "it cannot be told right now whether the requester may use this agent; try again shortly"}
	}
}

func (r *Room) evaluate(ctx context.Context, plan Plan, terms Terms, snap *config.Snapshot) Verdict {
	return r.Policy.Evaluate(ctx, Question{
		Call: plan.Call, Function: plan.Function, Snapshot: snap, Unattended: terms.Unattended,
		Preapproved: terms.Preapproved != nil && terms.Preapproved(plan.Name),
	})
}

// Refuse ends a call that has no plan, with its after hooks, receipt and audit
// record, so that a refusal leaves the same traces as a run.
func (r *Room) Refuse(ctx context.Context, plan Plan, fault *Fault, terms Terms) Outcome {
	return r.finish(ctx, plan, Failed(fault), passage{start: r.Now()}, terms)
}

// finish runs what follows every end: after hooks, bound already applied,
// receipt and audit in one transaction.
func (r *Room) finish(ctx context.Context, plan Plan, out Outcome, way passage, terms Terms) Outcome {
	// The end of a call is written whatever became of its caller.
	ctx = context.WithoutCancel(ctx)
	if out.Fault != nil && r.Mask != nil {
		f := *out.Fault // a fault may be one that a toolkit shares between calls
		f.Message = r.Mask(f.Message)
		out.Fault = &f
	}
	took := r.Now().Sub(way.start)
	r.Hooks.After(ctx, plan.Call, out, took)
	entry := AuditEntry{
		Call: plan.Call, Verdict: plan.Verdict, Decision: way.decision, Outcome: out, Began: way.began, Place: way.place, At: way.start, Duration: took,
	}
	won, err := terms.Ledger.End(ctx, plan.Ref, out, func(tx *store.Tx) error { return r.Audit.Record(tx, entry) })
	if err != nil {
		// The receipt could not be written. What happened is known here but
		// cannot be proven later, and the caller must hear what a later reader
		// will find.
		won = Indeterminate("Its outcome could not be stored (" + err.Error() + ").")
	}
	if terms.Observe != nil {
		terms.Observe(plan.Ref, EventEnded)
	}
	return won
}
