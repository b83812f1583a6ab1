package matrix

import (
	"context"
	"fmt"
	"log/slog"
	"time"
)

// requestTimeout bounds every request that is not a long poll.
const requestTimeout = 60 * time.Second

// request runs one API call with a deadline and judges its error.
func request[T any](ctx context.Context, op string, call func(context.Context) (T, error)) (T, error) {
	return requestWithin(ctx, requestTimeout, op, call)
}

// requestWithin is request with a deadline of the caller's choice.
func requestWithin[T any](ctx context.Context, limit time.Duration, op string, call func(context.Context) (T, error)) (T, error) {
	inner, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	v, err := call(inner)
	// Judged by the outer context: our own deadline is the homeserver's fault.
	return v, judge(ctx, op, err)
}

// patiently repeats a call until it succeeds, fails for good, or ctx ends.
func patiently[T any](ctx context.Context, log *slog.Logger, op string, call func(context.Context) (T, error)) (T, error) {
	return retry(ctx, log, op, 0, requestTimeout, call)
}

// briefly repeats a call a few times only, and not at all when the homeserver wants
// not to be asked for long: for what one room or one remote server can keep failing
// while everything else has to go on.
func briefly[T any](ctx context.Context, log *slog.Logger, op string, call func(context.Context) (T, error)) (T, error) {
	return retry(ctx, log, op, briefTries, requestTimeout, call)
}

const (
	// briefTries is how often briefly tries, briefWait the longest wait it takes.
	briefTries = 4
	briefWait  = 10 * time.Second
)

// retry makes at most limit tries, each with a deadline; 0 means no limit.
func retry[T any](ctx context.Context, log *slog.Logger, op string, limit int, within time.Duration, call func(context.Context) (T, error)) (T, error) {
	for tried := 1; ; tried++ {
		v, err := requestWithin(ctx, within, op, call)
		if err == nil || !KindOf(err).Retryable() || tried == limit || limit > 0 && after(err) > briefWait {
			return v, err
		}
		wait := backoff(tried, after(err))
		log.Warn("homeserver request failed; trying again", "op", op, "kind", KindOf(err), "tried", tried, "wait", wait)
		if !pause(ctx, wait) {
			return v, fmt.Errorf("%s: %w", op, context.Cause(ctx))
		}
	}
}
