package chat

import (
	"context"
	"fmt"
	"time"
)

// Transport sends one delivery with its transaction id and returns the id of
// the event. Implemented by matrix; the outbox does not call it, the pump does.
type Transport interface {
	Send(ctx context.Context, d Delivery) (eventID string, err error)
}

// Kinds of SendError that more than the pump knows. Others are the homeserver's
// error codes.
const (
	KindUnreachable  = "unreachable"   // no answer: sent or not, nobody knows
	KindRateLimited  = "rate_limited"  // RetryAfter says how long
	KindTooLarge     = "too_large"     // the event is over the limit as encrypted
	KindForbidden    = "forbidden"     // the account may not speak in the room
	KindTargetFailed = "target_failed" // what the delivery refers to was never sent
)

// SendError is why an attempt failed.
type SendError struct {
	Kind       string
	Retryable  bool
	RetryAfter time.Duration // as the homeserver asked; zero when it did not
	Err        error
}

func (e *SendError) Error() string {
	if e.Err == nil {
		return "chat: not sent: " + e.Kind
	}
	return fmt.Sprintf("chat: not sent: %s: %v", e.Kind, e.Err)
}

// Unwrap returns the transport's error.
func (e *SendError) Unwrap() error { return e.Err }
