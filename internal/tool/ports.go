package tool

import (
	"context"
	"time"

	"mindroom/internal/config"
	"mindroom/internal/identity"
	"mindroom/internal/store"
)

// Policy evaluates the operator's rules and the function's own declaration.
type Policy interface {
	Evaluate(ctx context.Context, q Question) Verdict
	// Might reports whether a person may have to be asked about some call of f:
	// what a door without anybody to ask does not offer (M12, M17).
	Might(snap *config.Snapshot, f *Function) bool
}

// Authority says whether the requester may reach this agent here, now, under
// the given configuration and current room membership (S15).
type Authority interface {
	May(ctx context.Context, who identity.Execution, snap *config.Snapshot) Answer
}

// Hooks run around the body. Both see every door alike (S17).
type Hooks interface {
	// Before may decline the call; a nil fault lets it pass.
	Before(ctx context.Context, call Call) *Fault
	// After sees how the call ended, refusals included.
	After(ctx context.Context, call Call, out Outcome, took time.Duration)
}

// Audit records the end of every call. Record only writes: it runs inside the
// transaction that makes the end durable.
type Audit interface {
	Record(tx *store.Tx, e AuditEntry) error
}

// AuditEntry is one record of the audit: who called what, and how it ended.
type AuditEntry struct {
	Call    Call
	Verdict Verdict
	// Decision is a person's answer; nil when nobody was asked.
	Decision *Decision
	Outcome  Outcome
	Began    bool
	// Place is where the body ran; empty when it never began or nobody knows.
	Place    Place
	At       time.Time
	Duration time.Duration
	// Digest is that of the arguments where Call.Args is not known any more: a
	// later start ends what an earlier one left. Empty: Call.Args has it.
	Digest string
}

// Router chooses where a body runs: in this process or in a worker.
type Router interface {
	Route(ctx context.Context, call Call, f *Function) (Body, error)
}

// Place is where a body runs.
type Place string

// The places.
const (
	InPrimary Place = "primary"
	InWorker  Place = "worker"
)

// Placed is a Body that says where it runs; any other runs in this process.
type Placed interface {
	Body
	Place() Place
}

func placeOf(b Body) Place {
	if p, ok := b.(Placed); ok {
		return p.Place()
	}
	return InPrimary
}

// Local is the router of a runtime without workers: every body runs here.
type Local struct{}

// Route returns the function's own body.
func (Local) Route(_ context.Context, _ Call, f *Function) (Body, error) { return f.Body, nil }
