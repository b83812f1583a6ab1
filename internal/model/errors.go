package model

import (
	"fmt"
	"time"
)

// Kind is the stable name of a provider failure; programs decide by it.
type Kind string

// The kinds of failure.
const (
	KindAuth            Kind = "auth"             // the key is missing, wrong or not allowed
	KindRateLimit       Kind = "rate_limit"       // too much asked; RetryAfter may say how long to wait
	KindOverloaded      Kind = "overloaded"       // the provider has no room or is broken for the moment
	KindContextOverflow Kind = "context_overflow" // the conversation is longer than the model's window
	KindBadRequest      Kind = "bad_request"      // the provider does not accept the request as it is
	KindNetwork         Kind = "network"          // no connection, or it broke
	KindTimeout         Kind = "timeout"          // no byte for IdleTimeout
	KindRefused         Kind = "refused"          // the provider's policy forbids the request
	KindCancelled       Kind = "cancelled"        // the caller's context ended
	KindOther           Kind = "other"
)

// Error is a provider's failure. Error() is for the log, Sentence() for the room; neither holds a secret.
type Error struct {
	Kind Kind
	// Retryable says that the same request may succeed later.
	Retryable bool
	// RetryAfter is what the provider asked for; 0 means it did not say.
	RetryAfter time.Duration
	// Provider is the provider's name, Model the model's id.
	Provider string
	Model    string
	// Status is the HTTP status; 0 when there was none.
	Status int
	// Remedy tells the operator what to do where the kind alone cannot, such as which variable to set; one whole
	// sentence, or empty.
	Remedy string
	// Detail is the provider's own explanation: one line, bounded, keys removed. It goes to the log, not to the
	// room.
	Detail string
	// Err is the cause where a program may want it (a context's or the network's error); nil otherwise. It is never
	// an SDK's error, because those print the response body.
	Err error
}

// Error is one line for the log.
func (e *Error) Error() string {
	text := fmt.Sprintf("model provider %s: %s", e.Provider, e.Kind)
	if e.Status != 0 {
		text += fmt.Sprintf(" (HTTP %d)", e.Status)
	}
	if e.Model != "" {
		text += fmt.Sprintf(", model %s", e.Model)
	}
	if e.Detail != "" {
		text += ": " + e.Detail
	}
	return text
}

// Unwrap is the cause, nil when there is none to show.
func (e *Error) Unwrap() error { return e.Err }

// UnknownVersionError says that a stored message was written in a form this build cannot read. A parked turn that
// meets it ends interrupted.
type UnknownVersionError struct {
	// Version is what the stored message said; 0 when it said nothing.
	Version int
}

// Error tells a person which build to use.
func (e *UnknownVersionError) Error() string {
	return fmt.Sprintf("stored message has version %d, this build reads version %d: use the build that wrote it, or start the conversation again", e.Version, Version)
}
