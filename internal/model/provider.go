package model

import (
	"context"
	"time"
)

// IdleTimeout is how long a stream may stay without a single byte before it ends as KindTimeout. Keep-alive bytes
// count: a provider that thinks for long sends them, one that is gone does not.
const IdleTimeout = 120 * time.Second

// Provider is the port to a language model. Implementations are safe for concurrent use and keep no state between
// calls.
type Provider interface {
	// Name is the provider's name as shown to people and as written in Opaque.Provider.
	Name() string
	// Stream asks the model and returns when its answer is complete. It calls sink (nil means nobody listens) for
	// each piece as it arrives, from the calling goroutine, never after it returned. An error is always an *Error.
	// The Response is worth reading even then: it holds the text so far.
	Stream(ctx context.Context, req Request, sink func(Event)) (Response, error)
}

// Event is one piece of a streamed answer; exactly one field is set.
type Event struct {
	// Text continues the answer.
	Text string
	// Reasoning continues what the model thinks aloud; it is not part of the answer.
	Reasoning string
	// CallName is the tool of a call that has just begun; its arguments are still coming.
	CallName string
}

// Response is a complete answer.
type Response struct {
	// Message is the assistant's message; without parts when the model said nothing.
	Message Message
	Stop    Stop
	// StopDetail is the provider's own word for Stop, for the log; at most 64 bytes.
	StopDetail string
	Usage      Usage
}

// Stop says why an answer ended.
type Stop string

// The reasons to stop.
const (
	// StopEnd: the model had finished.
	StopEnd Stop = "end"
	// StopToolCalls: the message holds at least one call that wants a result.
	StopToolCalls Stop = "tool_calls"
	// StopMaxTokens: the answer is cut off; calls in it may have broken arguments.
	StopMaxTokens Stop = "max_tokens"
	// StopRefusal: the provider or the model declined.
	StopRefusal Stop = "refusal"
	// StopOther: a reason this build does not know; see StopDetail.
	StopOther Stop = "other"
)

// Usage counts tokens as the provider reports them; 0 where it says nothing.
type Usage struct {
	// Input is what was read without the cache's help; CacheRead and CacheWrite are not part of it.
	Input int64
	// Output includes Reasoning.
	Output     int64
	CacheRead  int64
	CacheWrite int64
	Reasoning  int64
}

// Add is the sum of two usages, for the turns that ask more than once.
func (u Usage) Add(v Usage) Usage {
	return Usage{
		Input:      u.Input + v.Input,
		Output:     u.Output + v.Output,
		CacheRead:  u.CacheRead + v.CacheRead,
		CacheWrite: u.CacheWrite + v.CacheWrite,
		Reasoning:  u.Reasoning + v.Reasoning,
	}
}
