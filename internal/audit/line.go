package audit

import (
	"bytes"
	"encoding/json"
	"fmt"

	"mindroom/internal/clock"
	"mindroom/internal/tool"
)

// line is a record as JSON: a line of the file, and what mindroom audit --json prints. Every field is always there; more may be added, and none changes its meaning.
type line struct {
	Sequence    int64             `json:"seq"`
	At          string            `json:"at"`
	Door        tool.Door         `json:"door"`
	Owner       string            `json:"owner"`
	CallID      string            `json:"call_id"`
	Correlation string            `json:"correlation_id"`
	Toolkit     string            `json:"toolkit"`
	Function    string            `json:"function"`
	Agent       string            `json:"agent"`
	Requester   string            `json:"requester"`
	Room        string            `json:"room"`
	Thread      string            `json:"thread"`
	Arguments   string            `json:"arguments"`
	Digest      string            `json:"arguments_digest"`
	Verdict     string            `json:"verdict"`
	Rule        string            `json:"rule"`
	Decision    tool.DecisionKind `json:"decision"`
	DecidedBy   string            `json:"decided_by"`
	Began       bool              `json:"began"`
	Place       tool.Place        `json:"ran_in"`
	State       tool.State        `json:"state"`
	Kind        tool.FaultKind    `json:"kind"`
	Message     string            `json:"message"`
	Seconds     float64           `json:"seconds"`
}

// MarshalJSON writes the record as one object, with the names of the file's lines.
func (r Record) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // people read the lines, and search them
	err := e.Encode(line{
		Sequence: r.Sequence, At: clock.Stamp(r.At), Door: r.Ref.Door, Owner: r.Ref.Owner, CallID: r.Ref.ID, Correlation: r.Ref.String(),
		Toolkit: r.Name.Toolkit, Function: r.Name.Function, Agent: r.Agent, Requester: r.Requester, Room: r.Room, Thread: r.Thread,
		Arguments: r.Arguments, Digest: r.Digest, Verdict: r.Verdict, Rule: r.Rule, Decision: r.Decision, DecidedBy: r.DecidedBy,
		Began: r.Began, Place: r.Place, State: r.State, Kind: r.Fault, Message: r.Message, Seconds: r.Duration.Seconds(),
	})
	if err != nil {
		return nil, fmt.Errorf("audit record %d: %w", r.Sequence, err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
