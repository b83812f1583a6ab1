package wire

import (
	"cmp"
	"context"
	"errors"
	"net/http"

	"mindroom/internal/model"
	"mindroom/internal/secret"
)

// Party is who was asked, and what must not be repeated about it.
type Party struct {
	// Provider and Model go into the errors.
	Provider, Model string
	// Key is removed wherever it turns up in an explanation; zero means there is none.
	Key secret.Value
	// KeyRemedy is the sentence that tells where the key is set.
	KeyRemedy string
}

// For is the party that a request speaks to: the model it asks for, or else the one
// that the provider stands for.
func (p Party) For(asked, own string) Party {
	p.Model = cmp.Or(asked, own)
	return p
}

// MissingKey is the failure of asking without a key.
func (p Party) MissingKey() *model.Error {
	return &model.Error{Kind: model.KindAuth, Provider: p.Provider, Model: p.Model, Remedy: p.KeyRemedy}
}

// Status is the failure that an HTTP status stands for. explanation is the provider's own, raw; it is cleaned here,
// and left out for a refused key because providers like to repeat the key.
func (p Party) Status(status int, header http.Header, explanation string) *model.Error {
	kind, retryable := meaning(status)
	e := &model.Error{Kind: kind, Retryable: retryable, Provider: p.Provider, Model: p.Model, Status: status}
	if retryable {
		e.RetryAfter = RetryAfter(header)
	}
	if kind == model.KindAuth {
		e.Remedy = p.KeyRemedy
		return e
	}
	if status == http.StatusPaymentRequired {
		e.Remedy = NoCredit
	}
	e.Detail = Clean(explanation, p.Key)
	return e
}

// NoCredit is the remedy for an account that has run out; providers report it in different ways.
const NoCredit = "The provider's account has no credit left: ask the operator to add some."

func meaning(status int) (model.Kind, bool) {
	switch {
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return model.KindAuth, false
	case status == http.StatusPaymentRequired:
		return model.KindRateLimit, false
	case status == http.StatusRequestEntityTooLarge:
		return model.KindContextOverflow, false
	case status == http.StatusTooManyRequests:
		return model.KindRateLimit, true
	case status == http.StatusRequestTimeout, status == http.StatusConflict, status == http.StatusTooEarly:
		return model.KindOverloaded, true
	case status == http.StatusNotImplemented:
		return model.KindOther, false
	case status >= 500:
		return model.KindOverloaded, true
	case status >= 400:
		return model.KindBadRequest, false
	}
	return model.KindOther, false
}

// Broken is the failure of a request or a stream that ended without an answer from the provider. ctx is the caller's:
// if it has ended, that is the reason.
func (p Party) Broken(ctx context.Context, err error) *model.Error {
	e := &model.Error{Provider: p.Provider, Model: p.Model}
	switch {
	case ctx.Err() != nil:
		e.Kind, e.Err = model.KindCancelled, ctx.Err()
	case errors.Is(err, ErrIdle):
		e.Kind, e.Retryable, e.Err = model.KindTimeout, true, ErrIdle
	default:
		e.Kind, e.Retryable = model.KindNetwork, true
		if err != nil {
			e.Detail = Clean(err.Error(), p.Key)
		}
	}
	return e
}
