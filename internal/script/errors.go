package script

import (
	"errors"
	"fmt"
)

// ErrorKind is the stable identifier of why a control function refused
// (spec/scripts.md 1.9).
type ErrorKind string

// The kinds of control errors.
const (
	KindNoContext       ErrorKind = "no_context"
	KindNotFound        ErrorKind = "not_found"
	KindSource          ErrorKind = "invalid_source"
	KindName            ErrorKind = "invalid_name"
	KindProfiles        ErrorKind = "profiles_unsupported"
	KindPlatform        ErrorKind = "unsupported_platform"
	KindNoSandbox       ErrorKind = "sandbox_unavailable"
	KindNoGateway       ErrorKind = "no_gateway"
	KindUnknownTools    ErrorKind = "unknown_allowed_tools"
	KindConcurrent      ErrorKind = "concurrent_limit"
	KindShuttingDown    ErrorKind = "shutting_down"
	KindReconciling     ErrorKind = "reconciling"
	KindLaunchFailed    ErrorKind = "launch_failed"
	KindLaunchAmbiguous ErrorKind = "launch_ambiguous"
	KindUnconfirmed     ErrorKind = "termination_unconfirmed"
	KindInternal        ErrorKind = "internal"
)

// Error is a refusal of a control function: a stable kind, a sentence that says
// what to do, and whether the same request may pass later.
type Error struct {
	Kind      ErrorKind
	Message   string
	Retryable bool
	Err       error
}

// Error is the sentence.
func (e *Error) Error() string { return e.Message }

// Unwrap is the cause; nil when the refusal is a decision.
func (e *Error) Unwrap() error { return e.Err }

func errorf(kind ErrorKind, format string, args ...any) *Error {
	return &Error{Kind: kind, Message: fmt.Sprintf(format, args...)}
}

// AsError is err as a control error; anything else becomes KindInternal, so that
// every control function answers in one form.
func AsError(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	if errors.Is(err, errNotFound) {
		return &Error{Kind: KindNotFound, Message: err.Error(), Err: err}
	}
	return &Error{Kind: KindInternal, Message: "the request failed inside the runtime: " + err.Error(), Retryable: true, Err: err}
}
