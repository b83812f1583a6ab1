package script

import "mindroom/internal/tool"

// sight is what could be seen of something that an earlier start left. Its zero
// value is that it cannot be told now.
type sight int

const (
	unseen  sight = iota
	present       // it is there, and it is exactly what was stored
	absent        // it is definitely not
)

// inherited are the facts about a run that an earlier start left, and about the
// installation as it is now. What is kept says that the run has a recovery
// contract and its processes outlived that start; without it the other facts are
// not asked for.
type inherited struct {
	kept bool
	// settled: revoked before this start, as every run is whose end was recorded.
	settled bool
	// The owner as the configuration has it now.
	agent, tool, isolation bool
	// contract: every field of the stored contract is equal to today's (S67).
	contract bool
	// attested: the attestation and address of an isolated gateway are still given.
	attested bool
	may      tool.Answer
	// worker is the exact worker, process its supervisor's handle; ended says that
	// the supervisor reports the end.
	worker, process sight
	ended           bool
}

// course is what a start does with an inherited run.
type course string

const (
	// adopt: the process and its capability go on.
	adopt course = "adopt"
	// interrupt: revoke with the reason, end, prove, settle.
	interrupt course = "interrupt"
	// settle: its end has a reason of its own; take it up.
	settle course = "settle"
	// wait: something cannot be told now; the run stays as it is and everything is
	// fenced until it can.
	wait course = "wait"
)

// judge decides what becomes of an inherited run (S63, S65, S69, S72, S79;
// spec/scripts.md 6.8). A mismatch interrupts, a doubt waits, and a mismatch
// that is certain does not wait for a doubt beside it.
//
//	revoked before                    | settle
//	no contract, or no process kept   | interrupt, runtime_restart
//	owner, tool, isolation, contract, | interrupt, with the first that differs
//	attestation, definite no          |
//	worker or handle definitely gone  | interrupt, supervisor_lost
//	anything that cannot be told      | wait
//	the supervisor reports the end    | settle
//	all is as it was                  | adopt
func (f inherited) judge() (course, Reason) {
	switch {
	case f.settled:
		return settle, ""
	case !f.kept:
		return interrupt, ReasonRestart
	case !f.agent:
		return interrupt, ReasonAgentRemoved
	case !f.tool:
		return interrupt, ReasonToolRemoved
	case !f.isolation:
		return interrupt, ReasonIsolation
	case !f.attested, !f.contract:
		return interrupt, ReasonContract
	case f.may == tool.No:
		return interrupt, ReasonAuthorisation
	case f.worker == absent, f.process == absent:
		return interrupt, ReasonSupervisor
	case f.may != tool.Yes, f.worker == unseen, f.process == unseen:
		return wait, ""
	case f.ended:
		return settle, ""
	}
	return adopt, ""
}
