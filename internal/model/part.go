package model

import (
	"encoding/json"

	"mindroom/internal/media"
)

// PartKind names what a Part holds.
type PartKind string

// The kinds of part. Exactly one field of Part is set, the one its kind names.
const (
	PartText   PartKind = "text"
	PartCall   PartKind = "call"
	PartResult PartKind = "result"
	PartMedia  PartKind = "media"
	PartOpaque PartKind = "opaque"
)

// Part is one piece of a Message. Build it with TextPart, CallPart, ResultPart, MediaPart or OpaquePart.
type Part struct {
	Kind   PartKind
	Text   string
	Call   *Call
	Result *Result
	Media  *media.Ref
	Opaque *Opaque
}

// Call is a tool call as the model made it.
type Call struct {
	// ID is the provider's id, unique within its message only; a provider that sends none gets one made here. It
	// names nothing by itself: outside the transcript it is used together with its turn.
	ID string
	// Name is the tool's name as the model wrote it; it may name no tool at all.
	Name string
	// Arguments are the bytes the model sent: usually a JSON object, sometimes empty, sometimes broken.
	Arguments json.RawMessage
}

// ArgumentsObject is Arguments when they are a JSON object, {} when the model sent nothing, and otherwise an object
// that shows what was sent under "unparsed_arguments". Providers and compatible servers refuse a transcript whose
// calls carry anything but an object, so this is the form in which a call goes back to them.
func (c Call) ArgumentsObject() json.RawMessage {
	if len(c.Arguments) == 0 {
		return json.RawMessage(`{}`)
	}
	var object map[string]json.RawMessage
	if json.Unmarshal(c.Arguments, &object) == nil && object != nil {
		return c.Arguments
	}
	shown, err := json.Marshal(map[string]string{"unparsed_arguments": string(c.Arguments)})
	if err != nil { // A map of strings always encodes.
		return json.RawMessage(`{}`)
	}
	return shown
}

// Result is what a call came to.
type Result struct {
	// CallID is the ID of the call it answers.
	CallID string
	// Name is the tool's name, repeated because some providers want it.
	Name string
	// Text is what the model reads, bounded by whoever made it.
	Text string
	// IsError tells the model that the call failed.
	IsError bool
	// Media are images and files that belong to the result; nil for none. The transcript never holds bytes.
	Media []media.Ref
}

// Opaque is something a provider wants back unchanged.
type Opaque struct {
	// Provider and Model are what made it; it returns to exactly these.
	Provider string
	Model    string
	// Raw is returned byte for byte.
	Raw []byte
}

// TextPart is a part of plain text.
func TextPart(text string) Part { return Part{Kind: PartText, Text: text} }

// CallPart is a part that holds one tool call.
func CallPart(c Call) Part { return Part{Kind: PartCall, Call: &c} }

// ResultPart is a part that holds the result of one call.
func ResultPart(r Result) Part { return Part{Kind: PartResult, Result: &r} }

// MediaPart is a part that points at an image or a file.
func MediaPart(ref media.Ref) Part { return Part{Kind: PartMedia, Media: &ref} }

// OpaquePart is a part that only its maker understands.
func OpaquePart(o Opaque) Part { return Part{Kind: PartOpaque, Opaque: &o} }
