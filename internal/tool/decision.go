package tool

import "context"

// DecisionKind is how a question ended.
type DecisionKind string

// The ends of a question. The zero value is none of them and opens nothing.
const (
	Approved DecisionKind = "approved"
	Denied   DecisionKind = "denied"
	// Expired: nobody decided in time.
	Expired DecisionKind = "expired"
	// Withdrawn: the call it was about is over, or can no longer be made (S19).
	Withdrawn DecisionKind = "withdrawn"
)

// Decision is how a question about one call ended; it never changes.
type Decision struct {
	Kind DecisionKind
	// Digest is the digest of the arguments that were shown.
	Digest string
	// Depends is Plan.Depends of the call that was asked about.
	Depends string
	// By is the Matrix id of the person who decided; empty when nobody did.
	By string
	// Reason is what they said, or why it ended without them; may be empty.
	Reason string
}

// Asker puts a call before its requester and waits. A fault means that nobody
// could be asked, or that the caller ended before anybody decided.
type Asker func(ctx context.Context, plan Plan) (Decision, *Fault)

// settled is nil when a person approved exactly these arguments.
func settled(plan Plan, d *Decision) *Fault {
	switch {
	case d == nil:
		return Faultf(FaultDenied, "%s needs a person's approval (%s), and nobody can be asked here. "+
			"An operator can allow it with a tool_approval rule.", plan.Name, plan.Verdict.Rule)
	case d.Digest != plan.Args.Digest():
		return Faultf(FaultDenied, "the approval was given for other arguments")
	case d.Kind == Approved && d.Depends != plan.Depends:
		return Faultf(FaultNotAvailable, "the settings of %s changed while the call waited for its approval; make a new call", plan.Name)
	}
	switch d.Kind {
	case Approved:
		return nil
	case Expired:
		return Faultf(FaultExpired, "nobody approved %s in time: %s", plan.Name, d.Reason)
	case Withdrawn:
		return Faultf(FaultCancelled, "the question about %s was withdrawn before anybody decided: %s; it never ran", plan.Name, d.Reason)
	case Denied:
		if d.Reason == "" {
			return Faultf(FaultDenied, "%s was denied by %s", plan.Name, d.By)
		}
		return Faultf(FaultDenied, "%s was denied by %s: %s", plan.Name, d.By, d.Reason)
	}
	return Faultf(FaultDenied, "the decision on %s cannot be read", plan.Name)
}

// binds reports whether a decision stands whatever the rules say since: a
// person's no, and a question that is over.
func (d *Decision) binds() bool { return d != nil && d.Kind != Approved }
