package script

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"unicode/utf8"

	"mindroom/internal/canonical"
)

const (
	// maxMember bounds each of a request's four strings, in characters.
	maxMember = 128
	// maxDepth bounds how deep a request may nest.
	maxDepth = 128
)

// request is a call as it stands on the wire.
type request struct {
	run string
	submission
}

// readRequest reads a call with a bound on its size and in its exact form. A
// status other than 0 is the refusal. It is called only for a recognised
// capability.
func readRequest(w http.ResponseWriter, r *http.Request) (request, int, string) {
	if r.ContentLength > maxBody {
		return request{}, http.StatusRequestEntityTooLarge, tooLarge
	}
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	var over *http.MaxBytesError
	if errors.As(err, &over) {
		return request{}, http.StatusRequestEntityTooLarge, tooLarge
	}
	if err != nil {
		return request{}, http.StatusBadRequest, "the request's body could not be read to its end"
	}
	req, detail := parseRequest(raw)
	if detail != "" {
		return request{}, http.StatusUnprocessableEntity, detail
	}
	return req, 0, ""
}

const tooLarge = "the request is over the bound of 65536 bytes; pass large data by a workspace file"

// parseRequest takes a body apart: strict JSON, exactly the known members, no
// value coerced into another type. detail is empty when it is in order.
func parseRequest(raw []byte) (req request, detail string) {
	// One parse of the whole body finds what is no strict JSON anywhere in it.
	if _, err := canonical.Parse(raw, canonical.Limits{Depth: maxDepth}); err != nil {
		return req, "the body is no strict JSON: " + err.Error()
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil || members == nil {
		return req, "the body must be a JSON object"
	}
	for name, to := range map[string]*string{
		"run_id": &req.run, "call_id": &req.id, "toolkit_name": &req.name.Toolkit, "function_name": &req.name.Function,
	} {
		value, ok := members[name]
		if !ok {
			return req, name + " is missing"
		}
		delete(members, name)
		if len(value) == 0 || value[0] != '"' || json.Unmarshal(value, to) != nil {
			return req, name + " must be a string"
		}
		if n := utf8.RuneCountInString(*to); n < 1 || n > maxMember {
			return req, name + " must have 1 to 128 characters"
		}
	}
	arguments, ok := members["arguments"]
	delete(members, "arguments")
	for range members {
		return req, "the body has a member that is not known; it takes run_id, call_id, toolkit_name, function_name, arguments"
	}
	if !ok {
		req.args = canonical.EmptyObject
		return req, ""
	}
	doc, err := canonical.Parse(arguments, canonical.Limits{Depth: maxDepth})
	if err != nil || !doc.IsObject() {
		return req, "arguments must be a JSON object"
	}
	req.args = doc
	return req, ""
}
