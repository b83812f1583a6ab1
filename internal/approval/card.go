package approval

import (
	"encoding/json"
	"time"

	"mindroom/internal/chat"
	"mindroom/internal/media"
	"mindroom/internal/tool"
)

// State is how a question stands.
type State string

// The states of a card; see the table in doc.go.
const (
	Pending   State = "pending"
	Approved  State = State(tool.Approved)
	Denied    State = State(tool.Denied)
	Expired   State = State(tool.Expired)
	Withdrawn State = State(tool.Withdrawn)
)

// Terminal reports whether nothing follows s.
func (s State) Terminal() bool { return s != Pending }

// Card is one question about one call.
type Card struct {
	// ID names the card in events: it is made from the call, so that asking again
	// is known.
	ID   string
	Ref  tool.Ref
	Name tool.Name
	// Agent asks; Requester, a canonical Matrix id, is the only one who decides (S18).
	Agent, Requester string
	// Conversation is where the card stands, and the account that shows it.
	chat.Conversation
	// Digest is that of the arguments the decision is about.
	Digest string
	// Rule says what asked, in words a person finds in the configuration.
	Rule string
	// Depends is that of the function's settings when it was asked: an approval is
	// for a call under them.
	Depends string
	// Arguments is the redacted JSON object people see. It is whole whenever
	// Approvable is true and there is no File.
	Arguments json.RawMessage
	// File holds the whole redacted object where Arguments is cut; it is sent with
	// the card. The zero Ref is none.
	File media.Ref
	// Approvable is false when a person cannot be shown all of the arguments:
	// such a card can only be denied.
	Approvable bool
	State      State
	// By is who decided; empty for nobody. Reason is what they said, or why it
	// ended without them.
	By, Reason string
	// Requested and Expires are wall instants; Decided is zero while pending.
	Requested, Expires, Decided time.Time
}

// Decision is how the question ended; false while it is pending.
func (c Card) Decision() (tool.Decision, bool) {
	if !c.State.Terminal() {
		return tool.Decision{}, false
	}
	return tool.Decision{Kind: tool.DecisionKind(c.State), Digest: c.Digest, Depends: c.Depends, By: c.By, Reason: c.Reason}, true
}

// cardID is the stable name of a call's card (spec/runtime.md 5.5.1,
// spec/scripts.md 4.6).
func cardID(ref tool.Ref) string {
	if ref.Door == tool.DoorScript {
		return "script-approval:" + ref.Owner + ":" + ref.ID
	}
	return ref.Owner + "-" + ref.ID
}
