package turncli

import (
	"context"
	"net/http"
	"time"

	"mindroom/internal/tool"
)

// serve carries out one operation. until is how long the answer to a call may be
// held.
func (o *Owner) serve(ctx context.Context, op operation, window string, until time.Time) (any, *refusal) {
	if refused := o.standing(); refused != nil {
		return nil, refused
	}
	switch op.kind {
	case opList:
		return o.list(op)
	case opSearch:
		return o.search(op), nil
	case opDescribe:
		return o.describe(window, op)
	case opCheck:
		return o.check(ctx, op)
	case opContext:
		return o.work.listDocuments(op)
	case opRead:
		return o.work.readDocument(op)
	}
	c, refused := o.submit(window, op.submission)
	if refused != nil {
		return nil, refused
	}
	return o.held(ctx, c, until)
}

// standing refuses everything once the grant has ended.
func (o *Owner) standing() *refusal {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.phase == dead || o.expired() {
		return errAuthority
	}
	return nil
}

// checked is the answer to tools.check.
type checked struct {
	Toolkit  string `json:"toolkit"`
	Function string `json:"function"`
	Valid    bool   `json:"valid"`
	// Approval is what the rules make of the call now: allow, ask or deny.
	Approval tool.VerdictKind `json:"approval"`
	Reason   string           `json:"reason,omitempty"`
}

// check looks at a call without making it: no effect, no receipt, no window.
func (o *Owner) check(ctx context.Context, op operation) (any, *refusal) {
	fault := o.offered(op.name)
	if fault != nil {
		return nil, ofFault(fault)
	}
	plan, fault := o.reg.Room.Plan(ctx, tool.Call{
		Ref:  tool.Ref{Door: tool.DoorCLI, Owner: o.turn, ID: "check"},
		Name: op.name, Args: op.args, Who: o.who, Depth: o.depth,
	}, tool.Terms{Surface: func(n tool.Name) bool { return o.offered(n) == nil }})
	if fault != nil {
		return nil, ofFault(fault)
	}
	said := checked{Toolkit: op.name.Toolkit, Function: op.name.Function, Valid: true, Approval: plan.Verdict.Kind, Reason: plan.Verdict.Reason}
	return said, nil
}

// page is one page of a list.
type page struct {
	Items []any   `json:"items"`
	Next  *string `json:"next_cursor"`
}

func badCursor() *refusal {
	return refuse(http.StatusUnprocessableEntity, CodeCursor, "the cursor is none that a list gave, or past its end; leave it out to begin anew")
}
