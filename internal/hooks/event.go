package hooks

import (
	"encoding/json"
	"fmt"
	"time"

	"mindroom/internal/canonical"
	"mindroom/internal/config/format"
	"mindroom/internal/secret"
	"mindroom/internal/tool"
)

// version is the version of Event; it changes when a reader of an older one would misunderstand it.
const version = 1

// maxResult bounds the result that an Event holds, in bytes of JSON.
const maxResult = 64 << 10

// Event is what a hook is told, as one JSON object. New fields may come; none changes its meaning within a version.
type Event struct {
	Version int    `json:"version"`
	Event   string `json:"event"`
	// Call is the call's correlation id, door:owner:id, as logs and the audit have it.
	Call string `json:"call"`
	// Door is turn, cli or script; Owner the turn or the run; CallID the caller's own id.
	Door   tool.Door `json:"door"`
	Owner  string    `json:"owner"`
	CallID string    `json:"call_id"`
	// Parent is the correlation id of the call in which this one was made; empty at the top.
	Parent   string `json:"parent,omitempty"`
	Toolkit  string `json:"toolkit"`
	Function string `json:"function"`
	// Arguments have secrets replaced; Digest is of the arguments as they are.
	Arguments any    `json:"arguments"`
	Digest    string `json:"arguments_digest"`
	Agent     string `json:"agent"`
	Requester string `json:"requester"`
	Room      string `json:"room"`
	Thread    string `json:"thread,omitempty"`
	Session   string `json:"session"`
	// Depth counts the self-triggers that led here; 0 for a person's message.
	Depth int `json:"depth"`
	// Outcome is set after a call.
	Outcome *Outcome `json:"outcome,omitempty"`
}

// Outcome is how a call ended.
type Outcome struct {
	State tool.State `json:"state"`
	// Kind and Message are those of the fault; empty for a completed call.
	Kind    tool.FaultKind `json:"kind,omitempty"`
	Message string         `json:"message,omitempty"`
	// Result has secrets replaced; null where there is none, or where it is longer than 64 KiB, which Omitted tells.
	Result  any  `json:"result"`
	Omitted bool `json:"result_omitted,omitempty"`
	// Seconds is how long the call took, its waits included.
	Seconds float64 `json:"seconds"`
}

// describe makes the event of a call, of which nothing is secret any more.
func describe(call tool.Call, r *secret.Redactor) (Event, error) {
	var arguments any
	if !call.Args.IsZero() {
		if err := call.Args.Decode(&arguments); err != nil {
			return Event{}, fmt.Errorf("arguments of %s: %w", call.Ref, err)
		}
	}
	e := Event{
		Version: version, Event: format.BeforeCall, Call: call.Ref.String(), Door: call.Door, Owner: call.Owner, CallID: call.ID,
		Toolkit: call.Name.Toolkit, Function: call.Name.Function, Arguments: r.Tree(arguments), Digest: call.Args.Digest(),
		Agent: call.Who.Agent, Requester: call.Who.Requester, Room: call.Who.Room, Thread: call.Who.ResolvedThread, Session: call.Who.Session,
		Depth: call.Depth,
	}
	if call.Parent != nil {
		e.Parent = call.Parent.String()
	}
	return e, nil
}

// ended adds how the call ended.
func (e Event) ended(out tool.Outcome, took time.Duration, r *secret.Redactor) Event {
	o := Outcome{State: out.State, Seconds: took.Seconds()}
	if out.Fault != nil {
		o.Kind, o.Message = out.Fault.Kind, r.Redact(out.Fault.Message)
	}
	switch {
	case len(out.Value) > maxResult:
		o.Omitted = true
	case out.Value != nil:
		// A result that has no strict form, such as one with a number no program holds, is left out rather than told wrongly.
		doc, err := canonical.Parse(out.Value, canonical.Limits{})
		if o.Omitted = err != nil || doc.Decode(&o.Result) != nil; !o.Omitted {
			o.Result = r.Tree(o.Result)
		}
	}
	e.Event, e.Outcome = format.AfterCall, &o
	return e
}

func (e Event) encode() ([]byte, error) {
	b, err := json.Marshal(e)
	if err != nil {
		return nil, fmt.Errorf("event of %s: %w", e.Call, err)
	}
	return append(b, '\n'), nil
}
