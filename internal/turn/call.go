package turn

import (
	"context"
	"encoding/json"
	"strings"

	"mindroom/internal/canonical"
	"mindroom/internal/model"
	"mindroom/internal/tool"
)

const (
	// argumentBytes bounds the arguments of one call.
	argumentBytes = 1 << 20
	// resultBound is the largest result, in bytes of JSON, that a model gets whole
	// (spec/runtime.md 5.4).
	resultBound = 50 << 10
)

// terms is the turn's door.
func (r *response) terms(ctx context.Context, kept *ledger) tool.Terms {
	terms := tool.Terms{
		Lane: &r.shares, Ledger: kept, Enclosure: r.enclosure(), EndAtTimeout: r.minimal(), Bound: tool.Long{Bytes: resultBound, Wall: r.e.Wall}.Bound,
		Live: func(context.Context) *tool.Fault {
			switch {
			case r.cancelled():
				return tool.Faultf(tool.FaultCancelled, "the response was cancelled before the call began; it never ran")
			case ctx.Err() != nil:
				return &tool.Fault{Kind: tool.FaultUnavailable, Retryable: true, Message: "the service is being restarted; the call never ran"}
			}
			return nil
		},
	}
	if r.child != nil {
		r.child.bind(ctx, r, &terms)
	}
	return terms
}

// planned is one call of a batch before anything of it happened.
type planned struct {
	plan tool.Plan
	// fault is why it is refused; nil for a call that may be performed.
	fault *tool.Fault
	// decision is what a person said of it; nil when nobody was asked.
	decision *tool.Decision
}

// plan looks at one call of the model, without any effect. What the model got
// wrong is a fault like any other, so that it leaves the same traces as a run.
func (r *response) plan(ctx context.Context, call model.Call, ref string, over bool, stop model.Stop, terms tool.Terms) planned {
	name, nameless := r.named(call.Name)
	c := tool.Call{
		Ref:  tool.Ref{Door: tool.DoorTurn, Owner: r.id, ID: ref},
		Name: name, Args: canonical.EmptyObject, Who: r.row.who, Depth: r.row.depth,
	}
	if over {
		return planned{plan: tool.Plan{Call: c}, fault: tool.Faultf(tool.FaultQuota,
			"this response has made its %d tool calls; answer with what you have", r.agent.MaxToolCallsPerTurn)}
	}
	if nameless != nil {
		return planned{plan: tool.Plan{Call: c}, fault: nameless}
	}
	args, fault := arguments(call.Arguments, stop)
	if fault == nil && r.minimal() {
		args, fault = bashArguments(args)
	}
	if fault == nil && r.minimal() && r.child != nil && r.child.sub.background {
		args, fault = unhurried(args)
	}
	if fault != nil {
		return planned{plan: tool.Plan{Call: c}, fault: fault}
	}
	c.Args = args
	r.e.undoubted(ctx, r.row.who)
	plan, fault := r.e.Room.Plan(ctx, c, terms)
	return planned{plan: plan, fault: fault}
}

// carry takes one planned call to its end.
func (r *response) carry(ctx context.Context, p planned, terms tool.Terms) tool.Outcome {
	if p.fault != nil {
		return r.e.Room.Refuse(ctx, p.plan, p.fault, terms)
	}
	return r.e.Room.Perform(ctx, p.plan, p.decision, terms)
}

// arguments reads what the model sent, which may be anything.
func arguments(raw json.RawMessage, stop model.Stop) (canonical.Doc, *tool.Fault) {
	if len(strings.TrimSpace(string(raw))) == 0 {
		return canonical.EmptyObject, nil
	}
	doc, err := canonical.Parse(raw, canonical.Limits{Bytes: argumentBytes})
	switch {
	case err != nil && stop == model.StopMaxTokens:
		return doc, tool.Faultf(tool.FaultArguments, "the arguments were cut off because the answer reached its limit; make a shorter call")
	case err != nil:
		return doc, tool.Faultf(tool.FaultArguments, "the arguments are not valid JSON: %v", err)
	case !doc.IsObject():
		return doc, tool.Faultf(tool.FaultArguments, "the arguments are not a JSON object")
	}
	return doc, nil
}
