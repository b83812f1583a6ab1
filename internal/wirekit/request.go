package wirekit

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"unicode/utf8"

	"mindroom/internal/canonical"
)

const (
	maxBodyBytes  = 65536
	maxNameLength = 128
)

// submission is the body of POST /calls.
type submission struct {
	runID, callID, toolkit, function string
	arguments                        canonical.Doc
}

// refusal is an answer other than a receipt.
type refusal struct {
	status     int
	detail     string
	retryAfter string // seconds; "" sends no header
}

func (r *refusal) Error() string { return fmt.Sprintf("HTTP %d: %s", r.status, r.detail) }

func malformed(format string, args ...any) *refusal {
	return &refusal{status: http.StatusUnprocessableEntity, detail: fmt.Sprintf(format, args...)}
}

func readSubmission(r *http.Request) (submission, *refusal) {
	if r.ContentLength > maxBodyBytes {
		return submission{}, tooLarge()
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBodyBytes+1))
	if err != nil {
		return submission{}, malformed("the body could not be read")
	}
	if len(body) > maxBodyBytes {
		return submission{}, tooLarge()
	}
	return parseSubmission(body)
}

func tooLarge() *refusal {
	return &refusal{status: http.StatusRequestEntityTooLarge, detail: "the body is longer than 65536 bytes"}
}

func parseSubmission(body []byte) (submission, *refusal) {
	doc, err := canonical.Parse(body, canonical.Limits{})
	if err != nil {
		var syntax *canonical.SyntaxError
		errors.As(err, &syntax)
		return submission{}, malformed("the body is not strict JSON: %s", syntax.Msg)
	}
	var members map[string]json.RawMessage // a struct would also take RUN_ID for run_id
	if !doc.IsObject() || doc.Decode(&members) != nil {
		return submission{}, malformed("the body is not an object")
	}
	s := submission{arguments: canonical.EmptyObject}
	for name, target := range map[string]*string{"run_id": &s.runID, "call_id": &s.callID, "toolkit_name": &s.toolkit, "function_name": &s.function} {
		var value any
		if err := json.Unmarshal(members[name], &value); err != nil {
			return submission{}, malformed("%s is missing", name)
		}
		text, ok := value.(string)
		if n := utf8.RuneCountInString(text); !ok || n < 1 || n > maxNameLength {
			return submission{}, malformed("%s must be a string of 1 to %d characters", name, maxNameLength)
		}
		*target = text
		delete(members, name)
	}
	if raw, ok := members["arguments"]; ok {
		if s.arguments, err = canonical.Parse(raw, canonical.Limits{}); err != nil || !s.arguments.IsObject() {
			return submission{}, malformed("arguments must be an object")
		}
		delete(members, "arguments")
	}
	if len(members) > 0 {
		return submission{}, malformed("the body has unknown members")
	}
	return s, nil
}
