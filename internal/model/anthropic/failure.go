package anthropic

import (
	"context"
	"errors"
	"net/http"

	sdk "github.com/anthropics/anthropic-sdk-go/v2"

	"mindroom/internal/model"
	"mindroom/internal/model/wire"
)

// failure says what went wrong. An error inside a stream arrives with status 200, so the API's own type of error
// stands in for the status there. The API has no code for a prompt longer than the window (only a sentence, which is
// not parsed), so that arrives as KindBadRequest; whoever knows the window and the size of the prompt can tell.
func failure(ctx context.Context, party wire.Party, err error) *model.Error {
	var api *sdk.Error
	if !errors.As(err, &api) || ctx.Err() != nil {
		return party.Broken(ctx, err)
	}
	status := api.StatusCode
	if status < 400 {
		status = statusOf(api.Type())
	}
	var header http.Header
	if api.Response != nil {
		header = api.Response.Header
	}
	e := party.Status(status, header, api.Message)
	if api.Type() == sdk.ErrorTypeBillingError || spent(api.ErrorCode()) {
		e.Kind, e.Retryable, e.Remedy = model.KindRateLimit, false, wire.NoCredit
	}
	return e
}

// spent tells the limits that waiting does not lift from those that it does; both arrive as 429.
func spent(code sdk.ErrorCode) bool {
	switch code {
	case sdk.ErrorCodeContractSpendLimitReached, sdk.ErrorCodeEnforcedSpendLimitReached,
		sdk.ErrorCodeLinkedOrganizationSpendLimitReached:
		return true
	}
	return false
}

func statusOf(kind sdk.ErrorType) int {
	switch kind {
	case sdk.ErrorTypeInvalidRequestError:
		return http.StatusBadRequest
	case sdk.ErrorTypeAuthenticationError, sdk.ErrorTypePermissionError:
		return http.StatusForbidden
	case sdk.ErrorTypeNotFoundError:
		return http.StatusNotFound
	case sdk.ErrorTypeRateLimitError:
		return http.StatusTooManyRequests
	case sdk.ErrorTypeOverloadedError:
		return 529
	}
	return http.StatusInternalServerError
}
