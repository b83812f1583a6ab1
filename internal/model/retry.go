package model

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"
)

// Policy bounds the repetition of failed attempts.
type Policy struct {
	// Attempts is the greatest number of attempts, the first included; less than 1 means 1.
	Attempts int
	// Base is the wait before the second attempt; it doubles each time, with jitter of up to a quarter more.
	Base time.Duration
	// Longest bounds one wait. A provider that asks (RetryAfter) for a longer one is not waited for: a person in a
	// room had better read the error.
	Longest time.Duration
	// Total is how long after the beginning of the first attempt another one may still begin; 0 means no such bound. An
	// attempt can take long to fail, as one that the provider is silent in does.
	Total time.Duration
	// Attempt bounds one attempt, however much arrives in it; 0 means no such bound. A server that sends keep-alive bytes
	// for ever is silent for nobody.
	Attempt time.Duration
	// Waiting is told before each wait, for the log; nil means nobody listens.
	Waiting func(attempt int, wait time.Duration, failure *Error)
}

// DefaultPolicy tries four times within about half a minute, and begins no attempt after three minutes: of a provider
// that is silent for IdleTimeout each time, two are made. No answer takes longer than half an hour, which the longest one
// of a slow model stays below.
func DefaultPolicy() Policy {
	return Policy{Attempts: 4, Base: time.Second, Longest: 20 * time.Second, Total: 3 * time.Minute, Attempt: 30 * time.Minute}
}

// Retrying repeats the attempts of p that failed with a retryable error before any text was streamed: what a person
// has begun to read is never said twice. Reasoning and calls that had only begun do not count; nobody has read the
// ones, and the others are not made before the answer is complete. Waits end with the context.
func Retrying(p Provider, policy Policy) Provider {
	return &retrying{Provider: p, policy: policy}
}

type retrying struct {
	Provider
	policy Policy
}

func (r *retrying) Stream(ctx context.Context, req Request, sink func(Event)) (Response, error) {
	began, wait := time.Now(), r.policy.Base
	for attempt := 1; ; attempt++ {
		streamed := false
		resp, err := r.attempt(ctx, req, func(e Event) {
			streamed = streamed || e.Text != ""
			if sink != nil {
				sink(e)
			}
		})
		var failure *Error
		if !errors.As(err, &failure) || !failure.Retryable || streamed || attempt >= r.policy.Attempts || ctx.Err() != nil {
			return resp, err
		}
		pause := min(wait+rand.N(wait/4+1), r.policy.Longest)
		if failure.RetryAfter > r.policy.Longest {
			return resp, err
		}
		pause = max(pause, failure.RetryAfter)
		if r.policy.Total > 0 && time.Since(began)+pause > r.policy.Total {
			return resp, err
		}
		if r.policy.Waiting != nil {
			r.policy.Waiting(attempt, pause, failure)
		}
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
			timer.Stop()
			return resp, &Error{Kind: KindCancelled, Provider: failure.Provider, Model: failure.Model, Err: ctx.Err()}
		case <-timer.C:
		}
		wait = min(wait*2, r.policy.Longest)
	}
}

// attempt asks once, within the bound of an attempt.
func (r *retrying) attempt(ctx context.Context, req Request, sink func(Event)) (Response, error) {
	if r.policy.Attempt <= 0 {
		return r.Provider.Stream(ctx, req, sink)
	}
	bounded, cancel := context.WithTimeout(ctx, r.policy.Attempt)
	defer cancel()
	resp, err := r.Provider.Stream(bounded, req, sink)
	var failure *Error
	if errors.As(err, &failure) && failure.Kind == KindCancelled && ctx.Err() == nil {
		err = &Error{Kind: KindTimeout, Retryable: true, Provider: failure.Provider, Model: failure.Model, Err: bounded.Err()}
	}
	return resp, err
}
