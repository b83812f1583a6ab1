package script

// State is the state of a run (S59).
type State string

// The states of a run.
const (
	Starting    State = "starting"
	Running     State = "running"
	Exited      State = "exited"
	Failed      State = "failed"
	Cancelled   State = "cancelled"
	Interrupted State = "interrupted"
)

// Terminal reports whether nothing follows s.
func (s State) Terminal() bool { return len(transitions[s]) == 0 }

// transitions is the one table of allowed changes; every write goes through it.
var transitions = map[State][]State{
	Starting: {Running, Exited, Failed, Cancelled, Interrupted},
	Running:  {Exited, Failed, Cancelled, Interrupted},
}

func (s State) mayBecome(next State) bool {
	for _, t := range transitions[s] {
		if t == next {
			return true
		}
	}
	return false
}

// Reason is the stable code of why a run was ended. The text beside it is for
// people.
type Reason string

// The reasons. The first one written decides (spec/scripts.md 5.5).
const (
	ReasonProcessExit   Reason = "process_exit"
	ReasonOwnerCancel   Reason = "owner_cancel"
	ReasonOperator      Reason = "operator_cancel"
	ReasonLaunchFailed  Reason = "launch_failed"
	ReasonAmbiguous     Reason = "launch_ambiguous"
	ReasonMaxRuntime    Reason = "max_runtime"
	ReasonShutdown      Reason = "runtime_shutdown"
	ReasonRestart       Reason = "runtime_restart"
	ReasonAuthorisation Reason = "authorization_revoked"
	ReasonAgentRemoved  Reason = "owner_agent_removed"
	ReasonToolRemoved   Reason = "script_tool_removed"
	ReasonIsolation     Reason = "isolation_changed"
	ReasonSupervisor    Reason = "supervisor_lost"
	ReasonContract      Reason = "recovery_contract_changed"
)

// texts says each reason to a person.
var texts = map[Reason]string{
	ReasonProcessExit:   "the process ended",
	ReasonOwnerCancel:   "cancelled by its owner",
	ReasonOperator:      "cancelled by an operator",
	ReasonLaunchFailed:  "the launch failed",
	ReasonAmbiguous:     "the launch could not be confirmed",
	ReasonMaxRuntime:    "the maximum runtime was exceeded",
	ReasonShutdown:      "the runtime shut down",
	ReasonRestart:       "the runtime was restarted",
	ReasonAuthorisation: "the requester may no longer use the agent in this room",
	ReasonAgentRemoved:  "the owning agent was removed",
	ReasonToolRemoved:   "the script tool was removed from the agent",
	ReasonIsolation:     "the agent's isolation changed",
	ReasonSupervisor:    "the supervisor of the process was lost",
	ReasonContract:      "what the run was recovered by is not as it was at its launch",
}

// Text is the sentence of a reason.
func (r Reason) Text() string {
	if t, ok := texts[r]; ok {
		return t
	}
	return string(r)
}

// terminalFor is the terminal state a reason leads to, given the exit code of
// the program (nil when a signal ended it or it is unknown).
func terminalFor(r Reason, code *int) State {
	switch r {
	case ReasonProcessExit:
		if code != nil && *code == 0 {
			return Exited
		}
		return Failed
	case ReasonOwnerCancel, ReasonOperator:
		return Cancelled
	case ReasonLaunchFailed:
		return Failed
	default:
		return Interrupted
	}
}
