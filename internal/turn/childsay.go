package turn

import (
	"fmt"

	"mindroom/internal/config"
	"mindroom/internal/model"
	"mindroom/internal/prompt"
	"mindroom/internal/store"
)

// speak makes the facts of an agent's prompt those of its subagent: it works for
// another agent and not for a person, and an authored one has its caller's words in
// place of the operator's.
func (c *child) speak(facts *prompt.Facts) {
	facts.Subagent = c.sub.caller
	facts.Asks = false
	if c.sub.prompt != "" {
		facts.Role, facts.Instructions = c.sub.prompt, nil
		facts.Memory, facts.MemoryMore = "", false // another one's past (spec/agentcli.md 7)
	}
}

// conversation is what a subagent is asked with when all of it is too long: what
// fits of its earlier exchanges, and its task.
func (c *child) conversation(messages []model.Message, limits prompt.Limits) []model.Message {
	at := task(messages)
	var before []model.Message
	if at > 0 && limits.Characters > 0 {
		before = recent(messages[:at], limits.Characters/4)
	}
	return append(before, messages[at])
}

// report ends a subagent's turn for its caller, in the transaction that ends the
// turn.
func (e *Engine) report(tx *store.Tx, row row, cp Checkpoint, end ending, calls []batchCall) error {
	s, found, err := loadSubagent(tx, row.subagent)
	if err != nil || !found {
		return err
	}
	s.state, s.result = end.state.ofSubagent(), answerOfSubagent(cp, end)
	if len(cp.Messages) > 0 { // else the checkpoint cannot be read, and it goes on from before
		s.transcript = closed(cp.Messages, calls, "(I was ended before I could answer: "+end.withdrawal()+".)")
	}
	if err := e.restSubagent(tx, s); err != nil {
		return err
	}
	if !s.background || s.state == SubagentCancelled {
		return nil // its caller waits for it, or somebody ended it on purpose
	}
	return e.tellEnd(tx, row, s)
}

// answerOfSubagent is what a caller reads: the last words, or all that was said where
// the end came before an answer, and how it ended.
func answerOfSubagent(cp Checkpoint, end ending) string {
	text := cp.View.text()
	if n := len(cp.Messages); end.state == Answered && n > 0 && cp.Messages[n-1].Role == model.RoleAssistant {
		if last := cp.Messages[n-1].Text(); last != "" {
			text = last
		}
	}
	switch {
	case end.note == "":
		return text
	case text == "":
		return end.note
	}
	return text + "\n\n" + end.note
}

// modelNamed finds a model by its configured name.
func (e *Engine) modelNamed(snap *config.Snapshot, name string) (Model, error) {
	if e.ModelNamed == nil {
		return Model{}, fmt.Errorf("model %s is not in the configuration", name)
	}
	return e.ModelNamed(snap, name)
}
