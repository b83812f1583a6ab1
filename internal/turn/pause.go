package turn

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"mindroom/internal/approval"
	"mindroom/internal/excerpt"
	"mindroom/internal/lifecycle/step"
	"mindroom/internal/media"
	"mindroom/internal/store"
	"mindroom/internal/tool"
)

// heldBytes bounds what is told of one held call in the result of its command.
const heldBytes = 16 << 10

// paused is a command that has returned while calls it made wait for a person. Its
// own result is known; what those calls bring is added before the model reads it.
type paused struct {
	// Outcome is how the command itself ended: State paused, Then its end.
	Outcome storedOutcome `json:"outcome"`
	// Began is when the command began, as a stamp.
	Began string `json:"began"`
	// Told are the held calls that are over.
	Told []toldCall `json:"told,omitempty"`
}

// toldCall is what the model reads of a held call that is over.
type toldCall struct {
	ID   string    `json:"id"`
	Name tool.Name `json:"name"`
	// Verdict says how the question ended, in a clause.
	Verdict string      `json:"verdict"`
	Text    string      `json:"text"`
	Media   []media.Ref `json:"media,omitempty"`
	// Paused is set where it is a shell whose own calls wait: it ends after them.
	Paused *pausedShell `json:"paused,omitempty"`
}

// pausedShell is a held call that ran a shell which has returned.
type pausedShell struct {
	Outcome storedOutcome `json:"outcome"`
	Began   string        `json:"began"`
}

// tell is one held call's part of its command's result.
func tell(w wait, verdict string, out tool.Outcome) toldCall {
	result := resultOf(out)
	return toldCall{ID: w.call.ID, Name: w.call.Name, Verdict: verdict, Text: excerpt.Head(result.Text, heldBytes), Media: result.Media}
}

// verdictOf says how a question ended.
func verdictOf(d tool.Decision) string {
	switch d.Kind {
	case tool.Approved:
		return "was approved by " + d.By
	case tool.Denied:
		return "was denied by " + d.By
	case tool.Expired:
		return "was not decided in time"
	}
	return "is not asked about any more"
}

// block writes it for the model.
func (t toldCall) block() string {
	return fmt.Sprintf("[mindroom-agent call %s: %s %s]\n%s", t.ID, t.Name, t.Verdict, t.Text)
}

// whole is how the command ends with everything that its held calls brought.
func (p paused) whole() tool.Outcome {
	out := tool.Outcome(p.Outcome)
	var blocks []string
	for _, t := range p.Told {
		blocks = append(blocks, t.block())
		out.Media = append(out.Media[:len(out.Media):len(out.Media)], t.Media...)
	}
	if len(blocks) == 0 {
		return out
	}
	told := strings.Join(blocks, "\n\n")
	if out.Fault != nil {
		f := *out.Fault
		f.Message += "\n\n" + told
		out.Fault = &f
		return out
	}
	var text string
	if json.Unmarshal(out.Value, &text) != nil {
		text = string(out.Value)
	}
	raw, err := json.Marshal(text + "\n\n" + told)
	if err != nil {
		return tool.Failed(tool.Faultf(tool.FaultResult, "the command's result cannot be written: %v", err))
	}
	out.Value = raw
	return out
}

// broken is the result of a command whose response ends before the calls that it
// made are over. One of them that is not told any more may have been made.
func (p paused) broken(held []wait) storedResult {
	for _, w := range held {
		out := tool.Failed(tool.Faultf(tool.FaultCancelled, "the response ended before it was made; it never ran"))
		if w.begun {
			out = lostCall()
		}
		p.Told = append(p.Told[:len(p.Told):len(p.Told)], tell(w, "waited for approval", out))
	}
	result := resultOf(settledOutcome(p.whole()))
	result.Text += "\n\n[Other calls that this command made may have taken effect: check before making them again.]"
	return result
}

// pauses reports whether a call of the open batch waits for calls that it made.
func (c Checkpoint) pauses() bool {
	for _, call := range c.Calls {
		if call.Paused != nil {
			return true
		}
	}
	return false
}

// pause parks a batch of which nothing is left but calls that commands have made
// and that wait for people. What has ended is kept with it.
func (r *response) pause(ctx context.Context) error {
	r.cp.View = r.seen.now()
	err := r.leave(ctx, func(tx *store.Tx) ([]approval.Card, error) { return r.e.heldCards(tx, r.id) })
	if err != nil {
		return err
	}
	step.Reached(step.TurnPaused)
	return errParked
}

// heldCards are the open questions of calls which commands of a turn's open batch
// have made. When the turn is parked for them it is looked at once more: a
// decision may have come before it could wait for one.
func (e *Engine) heldCards(tx *store.Tx, turn string) ([]approval.Card, error) {
	tx.AfterCommit(func() { e.Settled(turn) })
	return approval.Waiting(tx, tool.DoorCLI, turn)
}
