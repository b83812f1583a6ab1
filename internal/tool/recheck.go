package tool

import (
	"context"
	"errors"
	"fmt"

	"mindroom/internal/config"
)

// decided checks the call again and has it decided where a rule asks and the
// door can ask. What a person took long to decide is checked once more.
func (r *Room) decided(ctx context.Context, plan Plan, decision *Decision, terms Terms) (Plan, *Decision, *Fault) {
	for {
		plan, fault := r.recheck(ctx, plan, terms, r.Config.Current())
		switch {
		case fault != nil:
			return plan, decision, fault
		case plan.Verdict.Kind == Deny:
			return plan, decision, Faultf(FaultDenied, "%s", plan.Verdict.Reason)
		case plan.Verdict.Kind == Allow && !decision.binds():
			return plan, decision, nil
		case decision != nil || terms.Ask == nil:
			return plan, decision, settled(plan, decision)
		}
		if terms.Observe != nil {
			terms.Observe(plan.Ref, EventWaiting)
		}
		made, fault := terms.Ask(ctx, plan)
		if fault != nil {
			return plan, nil, fault
		}
		decision = &made
	}
}

// recheck repeats, after the lane, everything that may have changed while the
// call waited. A verdict that is none of the three denies.
func (r *Room) recheck(ctx context.Context, plan Plan, terms Terms, snap *config.Snapshot) (Plan, *Fault) {
	if fault := live(ctx, terms); fault != nil {
		return plan, fault
	}
	plan, fault := r.stands(ctx, plan, terms, snap)
	if fault != nil {
		return plan, fault
	}
	plan.Verdict = r.evaluate(ctx, plan, terms, snap)
	if k := plan.Verdict.Kind; k != Allow && k != Ask {
		plan.Verdict.Kind = Deny
	}
	return plan, nil
}

// stands reports whether what a call depends on is still as it was planned: the
// function is granted and there, built from the same settings, and its requester
// may use the agent. Nothing else of a configuration matters to it.
func (r *Room) stands(ctx context.Context, plan Plan, terms Terms, snap *config.Snapshot) (Plan, *Fault) {
	f, fault := r.resolve(snap, plan.Call, terms)
	if fault != nil {
		return plan, fault
	}
	if f.Depends != plan.Depends {
		return plan, Faultf(FaultNotAvailable, "the settings of %s changed while the call waited; make a new call", plan.Name)
	}
	plan.Function = f
	return plan, r.authorise(ctx, plan.Call, snap)
}

func live(ctx context.Context, terms Terms) *Fault {
	if terms.Live == nil {
		return nil
	}
	return terms.Live(ctx)
}

// neverBegan is how a call ends that waited for its turn in vain.
func neverBegan(ctx context.Context, terms Terms) Outcome {
	if fault := live(context.WithoutCancel(ctx), terms); fault != nil {
		return Failed(fault)
	}
	return Failed(&Fault{Kind: FaultCancelled, Message: "the call was ended while it waited; it never ran", Retryable: true})
}

// beginFailed is how a call ends whose BEGIN could not be written: it never
// ran. Either the ledger refused it, it was ended meanwhile, or the store failed.
func beginFailed(ctx context.Context, terms Terms, err error) Outcome {
	if fault, refused := errors.AsType[*Fault](err); refused {
		return Failed(fault)
	}
	if fault := live(context.WithoutCancel(ctx), terms); fault != nil {
		return Failed(fault)
	}
	return Failed(&Fault{Kind: FaultUnavailable, Retryable: true,
		Message: fmt.Sprintf("the call could not be recorded and was not run: %v", err)})
}
