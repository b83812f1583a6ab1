package model

// Role says who speaks in a Message. The system prompt is no message: it is Request.System, because providers place
// it differently.
type Role string

// The roles of a transcript.
const (
	// RoleUser is what people and the program say to the model.
	RoleUser Role = "user"
	// RoleAssistant is what the model answered: text, calls and opaque parts in the order they came.
	RoleAssistant Role = "assistant"
	// RoleTool carries the results of the calls of the assistant message before it, and nothing else.
	RoleTool Role = "tool"
)

// Message is one entry of the transcript. The zero Message has no role and cannot be encoded.
type Message struct {
	Role  Role
	Parts []Part
}

// UserText is a user message with one text part.
func UserText(text string) Message {
	return Message{Role: RoleUser, Parts: []Part{TextPart(text)}}
}

// ToolResults is a tool message that carries the given results in order.
func ToolResults(results ...Result) Message {
	m := Message{Role: RoleTool}
	for _, r := range results {
		m.Parts = append(m.Parts, ResultPart(r))
	}
	return m
}

// Text joins the text parts of the message without a separator, as the model streamed them. Empty when there are
// none.
func (m Message) Text() string {
	var text string
	for _, p := range m.Parts {
		if p.Kind == PartText {
			text += p.Text
		}
	}
	return text
}

// Calls are the call parts in the order the model made them; nil when there are none.
func (m Message) Calls() []Call {
	var calls []Call
	for _, p := range m.Parts {
		if p.Kind == PartCall {
			calls = append(calls, *p.Call)
		}
	}
	return calls
}

// Results are the result parts in order; nil when there are none.
func (m Message) Results() []Result {
	var results []Result
	for _, p := range m.Parts {
		if p.Kind == PartResult {
			results = append(results, *p.Result)
		}
	}
	return results
}
