package turn

import "fmt"

// Refusal is why a subagent was not started or continued: a sentence for the agent
// that asked. It is an answer and no failure of the call (spec/agentcli.md 7).
type Refusal struct{ Text string }

// Error is the sentence.
func (r *Refusal) Error() string { return r.Text }

func refusedf(format string, args ...any) error { return &Refusal{Text: fmt.Sprintf(format, args...)} }
