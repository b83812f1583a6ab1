package step

// Name is a step. The text is stable: it stands in the crash matrix and in its
// page.
type Name string

// Launching a run; what follows L are the steps of spec/scripts.md 6.2.
const (
	LaunchAdmitted Name = "launch-admitted" // L1, L2: nothing is durable
	LaunchInserted Name = "launch-inserted" // L3: the row exists
	LaunchFolder   Name = "launch-folder"   // L8: the folder exists, the files in it do not
	LaunchSnapshot Name = "launch-snapshot" // L9: source, capability and SDK are laid out
	LaunchStarted  Name = "launch-started"  // L11: the process runs, the row does not say so
	LaunchRunning  Name = "launch-running"  // L12, L13: the row says so, the caller has not heard
)

// A call through the gateway.
const (
	CallClaimed Name = "call-claimed" // the claim is durable, nobody has heard
	CallWaits   Name = "call-waits"   // it waits behind another call of its run
	CallBegun   Name = "call-begun"   // BEGIN is durable, the body has not run
	CallEnded   Name = "call-ended"   // the receipt is durable, nobody has heard
)

// The end of a run, by itself or cancelled.
const (
	RunRevoked      Name = "run-revoked"     // the intent is durable, nothing was signalled
	RunExitProven   Name = "run-exit-proven" // no process is left, nothing says so
	RunExitRecorded Name = "run-exit-stored" // the exit is durable, files are left
	RunCleaned      Name = "run-cleaned"     // the folder is gone, the row is not terminal
	RunTerminal     Name = "run-terminal"    // all is durable
	RunsInherited   Name = "runs-inherited"  // a start has revoked what the last one left
	RunsPruned      Name = "runs-pruned"     // retention has deleted rows
)

// A message on its way to an answer.
const (
	SyncRead       Name = "sync-read"       // the homeserver told events, nothing is kept
	SyncJournalled Name = "sync-journalled" // events and token are durable
	TurnTaken      Name = "turn-taken"      // the message is taken and its turn exists
	TurnOpened     Name = "turn-opened"     // the placeholder is in the outbox
	ModelAnswered  Name = "model-answered"  // the model has answered, nothing of it is kept
	TurnCallBegun  Name = "turn-call-begun" // BEGIN of a call of the model is durable
	TurnCallEnded  Name = "turn-call-ended" // its outcome is durable
	TurnParked     Name = "turn-parked"     // its questions and the row that waits are durable
	HeldAsked      Name = "held-asked"      // a call inside a command and its question are durable, the command waits
	HeldBegun      Name = "held-begun"      // that call was decided and its BEGIN is durable
	HeldEnded      Name = "held-ended"      // its end is durable, its command has not heard
	TurnPaused     Name = "turn-paused"     // the command has returned, and the row that waits for its calls is durable
	CardDecided    Name = "card-decided"    // a decision is durable, who waits has not heard
	TurnReady      Name = "turn-ready"      // everything is decided, nobody carries it out
	TurnClaimed    Name = "turn-claimed"    // somebody carries it out, no call has begun
	TurnSettled    Name = "turn-settled"    // the checkpoint after the calls is durable
	TurnConcluded  Name = "turn-concluded"  // the turn's end and the last edit are durable, not sent
	ChoiceTaken    Name = "choice-taken"    // a question's choice and the turn it starts are durable, nothing shows it
	SendTaken      Name = "send-taken"      // a delivery is marked as being sent, nothing was sent
	SendAccepted   Name = "send-accepted"   // the homeserver has the event, the row does not say so
	SendRecorded   Name = "send-recorded"   // the row says so
)

// A command of a person to the program itself.
const (
	CommandAccepted Name = "command-accepted" // it is durable, nothing was done about it
	CommandBegun    Name = "command-begun"    // BEGIN is durable, the effect is not there
	CommandDone     Name = "command-done"     // the effect is there, nothing says so
	CommandEnded    Name = "command-ended"    // its end and its answer are durable, not sent
)

// The supervisor of a run. It is a process of its own.
const (
	GuardHeard    Name = "guard-heard"    // it knows what to start
	GuardPrepared Name = "guard-prepared" // its identity is in the run's folder
	GuardForked   Name = "guard-forked"   // the program runs, nobody was told
	GuardEnding   Name = "guard-ending"   // the tree was asked to end, or is being killed
	GuardEmpty    Name = "guard-empty"    // nothing is left of the tree, nothing says so
	GuardRecorded Name = "guard-recorded" // the exit record is durable, the primary was not told
)

// All are the steps, in the order of their tables.
func All() []Name {
	return []Name{
		LaunchAdmitted, LaunchInserted, LaunchFolder, LaunchSnapshot, LaunchStarted, LaunchRunning,
		CallClaimed, CallWaits, CallBegun, CallEnded,
		RunRevoked, RunExitProven, RunExitRecorded, RunCleaned, RunTerminal, RunsInherited, RunsPruned,
		SyncRead, SyncJournalled, TurnTaken, TurnOpened, ModelAnswered, TurnCallBegun, TurnCallEnded,
		TurnParked, HeldAsked, HeldBegun, HeldEnded, TurnPaused, CardDecided, TurnReady, TurnClaimed, TurnSettled, TurnConcluded, ChoiceTaken,
		SendTaken, SendAccepted, SendRecorded,
		CommandAccepted, CommandBegun, CommandDone, CommandEnded,
		GuardHeard, GuardPrepared, GuardForked, GuardEnding, GuardEmpty, GuardRecorded,
	}
}
