package tool

import (
	"encoding/json"
	"fmt"

	"mindroom/internal/media"
)

// State is how a call stands or ended.
type State string

// The states of a call. Paused exists only between a body and its turn.
const (
	StatePending       State = "pending"
	StateCompleted     State = "completed"
	StateFailed        State = "failed"
	StateCancelled     State = "cancelled"
	StateIndeterminate State = "indeterminate"
	StatePaused        State = "paused"
)

// FaultKind is the stable identifier of a fault; programs decide on it.
type FaultKind string

// The kinds of fault. Those a script can see carry the public protocol's names.
const (
	// FaultUnknown: no such function on the agent's surface.
	FaultUnknown FaultKind = "unknown_function"
	// FaultNotAvailable: the function is not granted or no longer there.
	FaultNotAvailable FaultKind = "not_available"
	// FaultArguments: the arguments do not fit the function's schema.
	FaultArguments FaultKind = "invalid_arguments"
	// FaultUnauthorised: the requester may not reach this agent here, now.
	FaultUnauthorised FaultKind = "unauthorised"
	// FaultUnavailable: it cannot be told now; the same call may pass later.
	FaultUnavailable FaultKind = "runtime_failure"
	// FaultDenied: a person or a rule said no, or no person could be asked (S37).
	FaultDenied FaultKind = "approval_denied"
	// FaultExpired: nobody decided in time.
	FaultExpired FaultKind = "approval_expired"
	// FaultDeclined: a before hook declined.
	FaultDeclined FaultKind = "declined"
	// FaultRevoked: the caller's capability ended before the call began.
	FaultRevoked FaultKind = "capability_revoked"
	// FaultTool: the body ran and failed.
	FaultTool FaultKind = "tool_failure"
	// FaultResult: the body's result is not strict JSON.
	FaultResult FaultKind = "invalid_tool_result"
	// FaultTooLarge: the result is over the door's bound.
	FaultTooLarge FaultKind = "result_too_large"
	// FaultQuota: the door's quota of calls is used up.
	FaultQuota FaultKind = "quota_exceeded"
	// FaultCancelled: the caller ended the call before it began.
	FaultCancelled FaultKind = "cancelled"
	// FaultIndeterminate: accepted, and it cannot be proven what happened (S38).
	FaultIndeterminate FaultKind = "indeterminate"
)

// Fault is the one error type of a call: a stable kind, a sentence for a person
// that says what to do next, and whether the same call may pass later.
type Fault struct {
	Kind      FaultKind `json:"kind"`
	Message   string    `json:"message"`
	Retryable bool      `json:"retryable"`
}

// Error makes a Fault an error.
func (f *Fault) Error() string { return string(f.Kind) + ": " + f.Message }

// Faultf makes a fault that is not retryable.
func Faultf(kind FaultKind, format string, args ...any) *Fault {
	return &Fault{Kind: kind, Message: fmt.Sprintf(format, args...)}
}

// Outcome is how a call ended.
type Outcome struct {
	State State
	// Value is the result as JSON; nil unless State is completed.
	Value json.RawMessage
	// Media are pictures and files that belong to the result, kept in the room's
	// store; nil for none. A door that cannot show them leaves them out: Value says
	// what they are.
	Media []media.Ref
	// Fault is set in every state but completed.
	Fault *Fault
	// Control is what a body asks of the turn that called it.
	Control Control
	// Then is how the call ends once what it waits for is over, where State is
	// paused: completed with Value and Media, or failed with Fault.
	Then State
}

// Control is a body's request to the turn around it; every other door ignores it.
type Control int

// The controls.
const (
	ControlNone Control = iota
	// ControlEndTurn ends the turn after this batch without another model call.
	ControlEndTurn
)

// Completed is the outcome of a body that returned value.
func Completed(value json.RawMessage) Outcome { return Outcome{State: StateCompleted, Value: value} }

// Failed is the outcome of a call that ended with f and whose effect, if any,
// is known.
func Failed(f *Fault) Outcome { return Outcome{State: StateFailed, Fault: f} }

// Indeterminate is the outcome of a begun call that cannot be proven.
func Indeterminate(why string) Outcome {
	return Outcome{State: StateIndeterminate, Fault: &Fault{
		Kind:    FaultIndeterminate,
		Message: why + " The call was accepted and it cannot be proven whether it took effect: do not repeat it automatically; check its effect first.",
	}}
}
