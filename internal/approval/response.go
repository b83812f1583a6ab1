package approval

import "encoding/json"

// ResponseType is the type of the event with which a richer client decides: it
// replies to the card (spec/runtime.md 5.5.2).
const ResponseType = "io.mindroom.tool_approval_response"

// Response is what such an event says.
type Response struct {
	// Decision is Approved or Denied.
	Decision State
	// Reason may be empty.
	Reason string
}

// ParseResponse reads the content of a ResponseType event; false when it decides
// nothing. Keys are matched exactly: a client that spells them otherwise means
// something else.
func ParseResponse(content json.RawMessage) (Response, bool) {
	var members map[string]json.RawMessage
	if json.Unmarshal(content, &members) != nil {
		return Response{}, false
	}
	text := func(key string) (s string) {
		if json.Unmarshal(members[key], &s) != nil {
			return ""
		}
		return s
	}
	r := Response{Decision: State(text("status")), Reason: text("reason")}
	if r.Reason == "" {
		r.Reason = text("denial_reason")
	}
	return r, r.Decision == Approved || r.Decision == Denied
}
