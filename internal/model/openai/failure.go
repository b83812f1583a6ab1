package openai

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/ssestream"

	"mindroom/internal/model"
	"mindroom/internal/model/wire"
)

// maxErrorBody bounds how much of an error's body is read for its explanation, in bytes.
const maxErrorBody = 16 << 10

// fault is the family's error object. Code is a text, a number or null, depending on the server.
type fault struct {
	Message string          `json:"message"`
	Type    string          `json:"type"`
	Code    json.RawMessage `json:"code"`
}

// failure says what went wrong. reply is the HTTP response, nil when there was none.
func failure(ctx context.Context, party wire.Party, reply *http.Response, err error) *model.Error {
	if ctx.Err() != nil {
		return party.Broken(ctx, err)
	}
	var inStream *ssestream.StreamError
	if errors.As(err, &inStream) { // The status was 200 long ago; the error's own code is all there is.
		f := readFault(inStream.Event.Data)
		return judge(party.Status(f.status(), nil, f.Message), f)
	}
	if reply == nil || reply.StatusCode < 400 {
		return party.Broken(ctx, err)
	}
	// The SDK's error is not asked: it gives up on a body that is not its own kind of JSON, as a proxy's page.
	body, _ := io.ReadAll(io.LimitReader(reply.Body, maxErrorBody))
	f := readFault(body)
	var api *sdk.Error
	if f.Message == "" && errors.As(err, &api) {
		f.Message = api.Message
	}
	return judge(party.Status(reply.StatusCode, reply.Header, f.Message), f)
}

// judge refines what the status says by what the code says.
func judge(e *model.Error, f fault) *model.Error {
	switch f.code() {
	case "context_length_exceeded":
		e.Kind, e.Retryable = model.KindContextOverflow, false
	case "insufficient_quota", "billing_hard_limit_reached":
		e.Kind, e.Retryable, e.Remedy = model.KindRateLimit, false, wire.NoCredit
	case "content_filter", "content_policy_violation":
		e.Kind, e.Retryable = model.KindRefused, false
	}
	switch f.Type {
	case "exceed_context_size_error": // llama.cpp
		e.Kind, e.Retryable = model.KindContextOverflow, false
	case "insufficient_quota":
		e.Kind, e.Retryable, e.Remedy = model.KindRateLimit, false, wire.NoCredit
	}
	return e
}

func readFault(body []byte) fault {
	var outer struct {
		Error json.RawMessage `json:"error"`
	}
	if json.Unmarshal(body, &outer) != nil {
		return fault{}
	}
	var f fault
	if json.Unmarshal(outer.Error, &f) != nil { // Some servers send a bare text.
		f = fault{}
		_ = json.Unmarshal(outer.Error, &f.Message) // Neither: there is no explanation.
	}
	return f
}

func (f fault) code() string {
	var text string
	if json.Unmarshal(f.Code, &text) != nil {
		return string(f.Code)
	}
	return text
}

// status is the HTTP status that an error inside a stream would have had.
func (f fault) status() int {
	if n, err := strconv.Atoi(f.code()); err == nil && n >= 400 && n < 600 {
		return n
	}
	switch f.code() {
	case "rate_limit_exceeded", "insufficient_quota":
		return http.StatusTooManyRequests
	case "context_length_exceeded":
		return http.StatusBadRequest
	case "invalid_api_key":
		return http.StatusUnauthorized
	}
	if f.Type == "invalid_request_error" {
		return http.StatusBadRequest
	}
	return http.StatusInternalServerError
}
