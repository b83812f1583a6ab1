package matrix

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"maunium.net/go/mautrix"

	"mindroom/internal/chat"
	"mindroom/internal/media"
)

// Kind says what went wrong with the homeserver, so that a program can decide.
type Kind string

const (
	// Retryable: the same request may succeed later.
	KindUnreachable Kind = chat.KindUnreachable // no connection, cut, or no answer in time
	KindServer      Kind = "homeserver_error"   // 5xx, or an answer that is no Matrix
	KindRateLimited Kind = chat.KindRateLimited // 429; Fault.After says when
	KindUnknownRoom Kind = "room_state_unknown" // whether the room is encrypted is not known yet
	KindLocal       Kind = "local_failure"      // our own database or program, not the homeserver

	// Permanent: somebody has to change something first.
	KindForbidden    Kind = chat.KindForbidden    // no right to do this in this room
	KindNotFound     Kind = "not_found"           // no such room, alias or event
	KindTooLarge     Kind = chat.KindTooLarge     // the event is over the homeserver's bound
	KindFileTooLarge Kind = "media_too_large"     // a file is over the homeserver's bound
	KindFileGone     Kind = "media_gone"          // a file that was to be sent is not kept any more
	KindFileFailed   Kind = "media_failed"        // a file could not be uploaded, again and again
	KindRefused      Kind = "refused"             // any other 4xx
	KindTaken        Kind = "account_taken"       // the user name exists and its password is not ours
	KindClosed       Kind = "registration_closed" // the homeserver registers nobody, or wants a token
	KindDeactivated  Kind = "account_deactivated"
	KindBadName      Kind = "invalid_user_name"
	KindTokenInvalid Kind = "token_rejected" // the access token is not valid any more
	KindEncrypted    Kind = "encrypted_room" // this account has no encryption yet; never sent in clear
)

// Retryable reports whether the same request may succeed later.
func (k Kind) Retryable() bool {
	switch k {
	case KindUnreachable, KindServer, KindRateLimited, KindUnknownRoom, KindLocal:
		return true
	}
	return false
}

// Fault is an error of this package on which a program can decide. Its text
// says what to do next and never holds a token.
type Fault struct {
	Kind Kind
	// Op is what was tried, with its subject ("join !r:example.org").
	Op string
	// Hint tells a person what to do; empty when waiting is all there is.
	Hint string
	// After is how long the homeserver asks to wait; 0 when it does not say.
	After time.Duration
	// Status is the HTTP status, 0 when there was no answer.
	Status int

	err error
}

func (f *Fault) Error() string {
	s := fmt.Sprintf("%s: %s", f.Op, f.Kind)
	if f.err != nil {
		s += ": " + f.err.Error()
	}
	if f.Hint != "" {
		s += " (" + f.Hint + ")"
	}
	return s
}

// Unwrap gives the cause: the homeserver's own error or that of the network.
func (f *Fault) Unwrap() error { return f.err }

// KindOf is the kind of err; empty when it is not a Fault.
func KindOf(err error) Kind {
	if f, ok := errors.AsType[*Fault](err); ok {
		return f.Kind
	}
	return ""
}

// maxAfter bounds how long a homeserver can make us wait by saying so.
const maxAfter = 15 * time.Minute

// judge turns an error of the client library into a Fault; nil stays nil. The
// end of ctx is told as what it is, not as a failure of the homeserver.
func judge(ctx context.Context, op string, err error) error {
	if err == nil {
		return nil
	}
	if f, ok := errors.AsType[*Fault](err); ok {
		return f
	}
	if e, ok := errors.AsType[*media.Error](err); ok {
		return e // of a file and not of the homeserver
	}
	if ctx.Err() != nil {
		return fmt.Errorf("%s: %w", op, context.Cause(ctx))
	}
	f := &Fault{Kind: KindUnreachable, Op: op, err: err}
	h, ok := errors.AsType[mautrix.HTTPError](err)
	if !ok {
		return f
	}
	// The library's error holds the request, and with it the token: keep only
	// the part that is about the failure.
	switch {
	case h.RespError != nil:
		f.err = *h.RespError
	case h.WrappedError != nil:
		f.err = h.WrappedError
	case h.Response != nil:
		f.err = fmt.Errorf("HTTP %d without a Matrix error", h.Response.StatusCode)
	}
	if h.Response == nil {
		return f
	}
	f.Status = h.Response.StatusCode
	f.Kind, f.Hint = kindOfStatus(f.Status, h.RespError)
	if f.Kind == KindRateLimited || f.Kind == KindServer {
		f.After = retryAfter(h.Response.Header, h.RespError, time.Now())
	}
	return f
}

func kindOfStatus(status int, e *mautrix.RespError) (Kind, string) {
	code := ""
	if e != nil {
		code = e.ErrCode
	}
	switch {
	case status == http.StatusTooManyRequests || code == "M_LIMIT_EXCEEDED":
		return KindRateLimited, ""
	case status >= 500 || status < 300:
		// Under 300 is a success whose body was cut or is no JSON.
		return KindServer, ""
	case code == "M_UNKNOWN_TOKEN" || code == "M_MISSING_TOKEN":
		return KindTokenInvalid, "it logs in again by password at the next start"
	case code == "M_USER_DEACTIVATED":
		return KindDeactivated, "reactivate the account at the homeserver, or choose another namespace"
	case code == "M_INVALID_USERNAME":
		return KindBadName, "use only a-z, 0-9, _ and - in agent names and in the namespace"
	case status == http.StatusRequestEntityTooLarge || code == "M_TOO_LARGE":
		return KindTooLarge, "shorten the message"
	case status == http.StatusNotFound || code == "M_NOT_FOUND":
		return KindNotFound, ""
	case status == http.StatusForbidden || code == "M_FORBIDDEN":
		return KindForbidden, "check that the account is in the room and has the power for this"
	case status == http.StatusRequestTimeout:
		return KindServer, ""
	}
	return KindRefused, ""
}

// retryAfter is how long the homeserver asks to wait: the Retry-After header
// in seconds or as a date, else retry_after_ms in the body, which older
// homeservers send alone. 0 when it says nothing.
func retryAfter(h http.Header, e *mautrix.RespError, now time.Time) time.Duration {
	var d time.Duration
	if v := h.Get("Retry-After"); v != "" {
		if n, err := strconv.ParseInt(v, 10, 32); err == nil {
			d = time.Duration(n) * time.Second
		} else if at, err := http.ParseTime(v); err == nil {
			d = at.Sub(now)
		}
	}
	if d <= 0 && e != nil {
		if ms, ok := e.ExtraData["retry_after_ms"].(float64); ok && ms < float64(maxAfter.Milliseconds()) {
			d = time.Duration(ms) * time.Millisecond
		} else if ok {
			d = maxAfter
		}
	}
	return min(max(d, 0), maxAfter)
}

// after is how long the homeserver behind err asked to wait.
func after(err error) time.Duration {
	if f, ok := errors.AsType[*Fault](err); ok {
		return f.After
	}
	return 0
}

// Asked is the longest time that the homeserver asked to wait in any of the errors
// that err holds; 0 when it did not.
func Asked(err error) time.Duration {
	var longest time.Duration
	switch e := err.(type) {
	case *Fault:
		longest = e.After
	case interface{ Unwrap() error }:
		longest = Asked(e.Unwrap())
	case interface{ Unwrap() []error }:
		for _, one := range e.Unwrap() {
			longest = max(longest, Asked(one))
		}
	}
	return longest
}
