package crash

import (
	"mindroom/internal/lifecycle/step"
	"mindroom/internal/script"
	"mindroom/internal/tool"
)

// Victim is what is killed.
type Victim string

// The victims.
const (
	Primary    Victim = "primary"
	Supervisor Victim = "supervisor"
	Both       Victim = "both"
)

// Play is what goes on when the process dies.
type Play string

// The plays.
const (
	// Launch: a person asks, the agent starts a script and answers.
	Launch Play = "launch"
	// Call: the script of Launch makes one call.
	Call Play = "call"
	// Two: the script makes a second call while the first one runs.
	Two Play = "two calls"
	// Exit: the script of Launch returns by itself.
	Exit Play = "exit"
	// OperatorCancel: an operator cancels the script.
	OperatorCancel Play = "operator cancels"
	// AgentCancel: the agent cancels the script in the turn that started it.
	AgentCancel Play = "agent cancels"
	// Shutdown: the primary is told to stop while the script runs.
	Shutdown Play = "shutdown"
	// Restart: the primary was killed while the script ran; the next one dies
	// while it clears up.
	Restart Play = "restart"
	// Prune: the script has ended and was kept long enough.
	Prune Play = "retention"
	// Say: a person says something and is answered.
	Say Play = "message"
	// Read: the answer needs a call.
	Read Play = "message with a call"
	// Delegate: the answer needs a subagent, which makes the call.
	Delegate Play = "message with a subagent"
	// Command: a person gives the program a command that changes something.
	Command Play = "command"
	// Ask: the answer needs a call that a person approves.
	Ask Play = "message that asks"
	// Wait: a command of the answer waits for a call that a person approves.
	Wait Play = "command that waits"
	// Leave: a command of the answer returns while such a call waits.
	Leave Play = "command that leaves a call"
	// Choose: the answer asks a question with options, and a person takes one.
	Choose Play = "message that offers a choice"
	// Hold: the script's call waits for a person.
	Hold Play = "call that asks"
)

// asks reports whether the play's calls need an approval.
func (p Play) asks() bool { return p == Ask || p == Hold || p.bashes() }

// bashes reports whether the play is one of minimal mode.
func (p Play) bashes() bool { return p == Wait || p == Leave }

// Row is one row of the matrix.
type Row struct {
	Play Play
	Dies Victim
	// At is the step at which it dies, N the how many-th time it is reached (0 is
	// the first). An empty At is a kill from outside at the moment When names.
	At step.Name
	N  int
	// When says it to a reader.
	When string
	// State and Reason are the run's in the end; empty for no run.
	State  script.State
	Reason script.Reason
	// Calls are the script's calls in order of acceptance.
	Calls []Receipt
	// Hits is how often the call of the answer ran.
	Hits int
	// Answer is a part of the one answer to the message.
	Answer string
}

// Receipt is how a call of a script ends and how often its body ran.
type Receipt struct {
	State tool.State
	Hits  int
}

// What the answers say. The first four are the product's words, the others those
// of the rules that the offline model plays.
const (
	saidInterrupted = "interrupted by service restart"
	saidUncertain   = "Whether it took effect is not known"
	saidThreads     = "From now on every agent answers in threads."
	saidStarted     = "It runs as script-"
	saidNotStarted  = "The script did not start"
	saidHeard       = "I heard"
	saidChosen      = "You chose east."
	saidRead        = "It says: the page"
	saidApproved    = "website.read_url was approved by"
)
