package crash

import (
	"mindroom/internal/lifecycle/step"
	"mindroom/internal/script"
	"mindroom/internal/tool"
)

// Section is a part of the matrix.
type Section struct {
	Title string
	Rows  []Row
}

// Sections is the matrix.
func Sections() []Section {
	return []Section{
		{"Starting a script", launching()},
		{"Calls of a script", calling()},
		{"The end of a script", ending()},
		{"The next start", starting()},
		{"Messages and answers", talking()},
		{"Subagents", delegating()},
		{"Commands", commanding()},
		{"Questions to people", asking()},
		{"Calls inside a command", enclosing()},
		{"Questions with options", choosing()},
		{"The supervisor", supervising()},
	}
}

// Short names for what most rows say.
const (
	interrupted = script.Interrupted
	restart     = script.ReasonRestart
)

// launching: a launch is either refused without a trace or leaves a row, and a
// row that a dead primary left is interrupted. The turn had a call under way, so
// it is interrupted too and calls nothing again.
func launching() []Row {
	at := func(name step.Name, when string) Row {
		return Row{Play: Launch, Dies: Primary, At: name, When: when, State: interrupted, Reason: restart, Answer: saidInterrupted}
	}
	return []Row{
		{Play: Launch, Dies: Primary, At: step.LaunchAdmitted, When: "L1–L2: admitted, nothing is durable", Answer: saidInterrupted},
		at(step.LaunchInserted, "L3: the row exists"),
		at(step.LaunchFolder, "L8: the folder exists, its files do not"),
		at(step.LaunchSnapshot, "L9: source, capability and SDK are laid out"),
		at(step.LaunchStarted, "L11: the process runs, the row says starting"),
		at(step.LaunchRunning, "L12: the row says running, the agent has not heard"),
		{Play: Launch, Dies: Primary, When: "L13: the launch is over and answered", State: interrupted, Reason: restart, Answer: saidStarted},
	}
}

// calling: what had begun is indeterminate unless its receipt was durable, what
// had not is failed, and neither runs again.
func calling() []Row {
	row := func(play Play, name step.Name, n int, when string, calls ...Receipt) Row {
		return Row{Play: play, Dies: Primary, At: name, N: n, When: when, State: interrupted, Reason: restart, Calls: calls, Answer: saidStarted}
	}
	return []Row{
		row(Call, step.CallClaimed, 1, "claimed and begun in one write; the body has not run", Receipt{tool.StateIndeterminate, 0}),
		row(Two, step.CallClaimed, 2, "the second is claimed behind the first", Receipt{tool.StateIndeterminate, 1}, Receipt{tool.StateFailed, 0}),
		row(Two, step.CallWaits, 1, "the second waits for the first", Receipt{tool.StateIndeterminate, 1}, Receipt{tool.StateFailed, 0}),
		row(Two, step.CallBegun, 1, "the second has begun, its body has not run", Receipt{tool.StateCompleted, 1}, Receipt{tool.StateIndeterminate, 0}),
		row(Call, "", 0, "the body runs", Receipt{tool.StateIndeterminate, 1}),
		row(Call, step.CallEnded, 1, "the receipt is durable, the script has not heard", Receipt{tool.StateCompleted, 1}),
		row(Two, step.CallEnded, 1, "the first receipt is durable, the second call waits", Receipt{tool.StateCompleted, 1}, Receipt{tool.StateFailed, 0}),
		row(Two, "", 0, "both were answered", Receipt{tool.StateCompleted, 1}, Receipt{tool.StateCompleted, 1}),
	}
}

// ending: the first durable reason decides, and a row is terminal only when
// nothing is left.
func ending() []Row {
	var rows []Row
	add := func(play Play, state script.State, reason script.Reason, answer string) {
		for _, s := range []struct {
			at   step.Name
			when string
		}{
			{step.RunRevoked, "the intent is durable, nothing was signalled"},
			{step.RunExitProven, "no process is left, nothing says so"},
			{step.RunExitRecorded, "the exit is durable, the folder is there"},
			{step.RunCleaned, "the folder is gone, the row is not terminal"},
			{step.RunTerminal, "the row is terminal"},
		} {
			row := Row{Play: play, Dies: Primary, At: s.at, When: s.when, State: state, Reason: reason, Answer: answer}
			if play == Exit {
				if s.at == step.RunRevoked {
					continue // it is not revoked before its exit is recorded
				}
				if s.at == step.RunExitProven {
					// Nothing durable knew of the exit, so the restart is the first reason.
					row.State, row.Reason = interrupted, restart
				}
			}
			rows = append(rows, row)
		}
	}
	add(Exit, script.Exited, script.ReasonProcessExit, saidStarted)
	add(OperatorCancel, script.Cancelled, script.ReasonOperator, saidStarted)
	add(AgentCancel, script.Cancelled, script.ReasonOwnerCancel, saidInterrupted)
	add(Shutdown, interrupted, script.ReasonShutdown, saidStarted)
	return rows
}

// starting: a start that dies while it clears up is cleared up by the next one,
// and pruning twice is pruning once.
func starting() []Row {
	var rows []Row
	for _, s := range []struct {
		at   step.Name
		when string
	}{
		{step.RunsInherited, "what the last start left is revoked"},
		{step.RunExitProven, "its processes are proven dead"},
		{step.RunExitRecorded, "its exit is durable"},
		{step.RunCleaned, "its folder is gone"},
		{step.RunTerminal, "its row is terminal"},
	} {
		rows = append(rows, Row{Play: Restart, Dies: Primary, At: s.at, When: "in clearing up: " + s.when, State: interrupted, Reason: restart, Answer: saidStarted})
	}
	return append(rows, Row{Play: Prune, Dies: Primary, At: step.RunsPruned, When: "rows were deleted", Answer: saidStarted})
}

// talking: before a call began a turn goes on where it was; after it the turn is
// interrupted, and nothing is called again.
func talking() []Row {
	say := func(name step.Name, n int, when string) Row {
		return Row{Play: Say, Dies: Primary, At: name, N: n, When: when, Answer: saidHeard}
	}
	read := func(name step.Name, n, hits int, when, answer string) Row {
		return Row{Play: Read, Dies: Primary, At: name, N: n, When: when, Hits: hits, Answer: answer}
	}
	return []Row{
		say(step.SyncRead, 1, "one account has read it, nothing is kept"),
		say(step.SyncRead, 2, "the other account has read it"),
		say(step.SyncJournalled, 1, "one account has it in its journal"),
		say(step.SyncJournalled, 2, "both have"),
		say(step.TurnTaken, 1, "it is taken and its turn exists"),
		say(step.TurnOpened, 1, "the placeholder is in the outbox"),
		say(step.ModelAnswered, 1, "the model has answered, nothing of it is kept"),
		say(step.TurnConcluded, 1, "the end is in the outbox"),
		say(step.SendTaken, 1, "the placeholder is marked as being sent"),
		say(step.SendAccepted, 1, "the homeserver has the placeholder, the row does not say so"),
		say(step.SendRecorded, 1, "the placeholder is sent"),
		say(step.SendTaken, 2, "the last edit is marked as being sent"),
		say(step.SendAccepted, 2, "the homeserver has the last edit, the row does not say so"),
		say(step.SendRecorded, 2, "everything is sent"),
		read(step.ModelAnswered, 1, 1, "the model has asked for the call, nothing of it is kept", saidRead),
		read(step.TurnCallBegun, 1, 0, "BEGIN is durable, the body has not run", saidInterrupted),
		read("", 0, 1, "the body runs", saidInterrupted),
		read(step.TurnCallEnded, 1, 1, "its outcome is durable", saidInterrupted),
		read(step.TurnSettled, 1, 1, "the checkpoint after it is durable", saidRead),
		read(step.ModelAnswered, 2, 1, "the model has answered with its result", saidRead),
		read(step.TurnConcluded, 1, 1, "the end is in the outbox", saidRead),
	}
}

// delegating: a subagent ends with the process, whatever it had done, because nobody
// waits for it any more; what it called is not called again.
func delegating() []Row {
	row := func(name step.Name, n, hits int, when, answer string) Row {
		return Row{Play: Delegate, Dies: Primary, At: name, N: n, When: when, Hits: hits, Answer: answer}
	}
	return []Row{
		row(step.TurnCallBegun, 1, 0, "the call for it has begun, there is none", saidInterrupted),
		row(step.ModelAnswered, 2, 0, "its model has asked for a call, nothing of that is kept", saidInterrupted),
		row(step.TurnCallBegun, 2, 0, "BEGIN of its call is durable, the body has not run", saidInterrupted),
		row("", 0, 1, "the body runs", saidInterrupted),
		row(step.TurnCallEnded, 1, 1, "the outcome of its call is durable", saidInterrupted),
		row(step.ModelAnswered, 3, 1, "its model has answered, nothing of that is kept", saidInterrupted),
		row(step.TurnConcluded, 1, 1, "its end is durable, the caller has not heard", saidInterrupted),
		row(step.TurnCallEnded, 2, 1, "the caller's call has its outcome", saidInterrupted),
		row(step.TurnSettled, 2, 1, "the caller's checkpoint is durable", saidRead),
	}
}

// commanding: what changes something happens at most once, and where nobody knows
// whether it did, that is said.
func commanding() []Row {
	row := func(name step.Name, when, answer string) Row {
		return Row{Play: Command, Dies: Primary, At: name, When: when, Answer: answer}
	}
	return []Row{
		row(step.CommandAccepted, "it is accepted, nothing was done about it", saidThreads),
		row(step.CommandBegun, "BEGIN is durable, the effect is not there", saidUncertain),
		row(step.CommandDone, "the effect is there, nothing says so", saidUncertain),
		row(step.CommandEnded, "its answer is in the outbox", saidThreads),
	}
}

// asking: a turn that waits is a row, so nothing is lost until somebody has
// claimed its calls; a script does not outlive a start, so neither does its
// question, whatever was said.
func asking() []Row {
	ask := func(name step.Name, when string) Row {
		return Row{Play: Ask, Dies: Primary, At: name, When: when, Hits: 1, Answer: saidRead}
	}
	hold := func(name step.Name, when string) Row {
		return Row{Play: Hold, Dies: Primary, At: name, When: when, State: interrupted, Reason: restart,
			Calls: []Receipt{{tool.StateFailed, 0}}, Answer: saidStarted}
	}
	claimed := ask(step.TurnClaimed, "somebody carries it out, no call has begun")
	claimed.Hits, claimed.Answer = 0, saidInterrupted
	return []Row{
		ask(step.TurnParked, "question and waiting turn are durable, nobody sees a card"),
		ask("", "the card is shown, nobody has decided"),
		ask(step.CardDecided, "the approval is durable, the turn has not heard"),
		ask(step.TurnReady, "all is decided, nobody carries it out"),
		claimed,
		hold("", "the card is shown, nobody has decided"),
		hold(step.CardDecided, "the approval is durable, the call has not heard"),
	}
}

// enclosing: a call that a command made and that waits for a person is made once
// when it is decided, whoever has the turn then; one that had begun is not made
// again, and neither is the command, ever.
func enclosing() []Row {
	row := func(play Play, name step.Name, when string, hits int, answer string) Row {
		return Row{Play: play, Dies: Primary, At: name, When: when, Hits: hits, Answer: answer}
	}
	return []Row{
		row(Wait, step.HeldAsked, "call and question are durable, nobody sees a card", 1, saidApproved),
		row(Wait, "", "the card is shown, nobody has decided", 1, saidApproved),
		row(Wait, step.CardDecided, "the approval is durable, the call has not heard", 1, saidApproved),
		row(Wait, step.HeldBegun, "the call's BEGIN is durable, its body has not run", 0, saidInterrupted),
		row(Wait, step.HeldEnded, "its end is durable, the command has not heard", 1, saidInterrupted),
		row(Leave, step.TurnPaused, "the command has returned, the waiting turn is durable", 1, saidApproved),
		row(Leave, "", "the card is shown, nobody has decided", 1, saidApproved),
		row(Leave, step.CardDecided, "the approval is durable, the turn has not heard", 1, saidApproved),
		row(Leave, step.TurnReady, "all is decided, nobody carries it out", 1, saidApproved),
		row(Leave, step.TurnClaimed, "somebody carries it out, the call has not begun", 0, saidInterrupted),
		row(Leave, step.HeldBegun, "the call's BEGIN is durable, its body has not run", 0, saidInterrupted),
		row(Leave, step.HeldEnded, "its end is durable, the turn has not heard", 1, saidInterrupted),
	}
}

// choosing: a question is durable with its answer, and a choice with the turn it
// starts, so there is one of each whatever dies.
func choosing() []Row {
	row := func(name step.Name, n int, when string) Row {
		return Row{Play: Choose, Dies: Primary, At: name, N: n, When: when, Answer: saidChosen}
	}
	return []Row{
		row(step.TurnConcluded, 1, "the question is in the outbox, nobody sees it"),
		row(step.SendAccepted, 3, "the homeserver has an option's reaction, the row does not say so"),
		row("", 0, "the question is shown, nobody has chosen"),
		row(step.ChoiceTaken, 1, "the choice and its turn are durable, nothing shows it"),
	}
}

// supervising: a launch without a supervisor fails and says so; a run without
// one is ended and says so; and with both gone the next start ends what is left.
func supervising() []Row {
	var rows []Row
	for _, s := range []struct {
		at   step.Name
		when string
	}{
		{step.GuardHeard, "it knows what to start"},
		{step.GuardPrepared, "its identity is stored, nothing was started"},
		{step.GuardForked, "the program runs, nobody was told"},
	} {
		rows = append(rows,
			Row{Play: Launch, Dies: Supervisor, At: s.at, When: s.when, State: script.Failed, Reason: script.ReasonLaunchFailed, Answer: saidNotStarted},
			Row{Play: Launch, Dies: Both, At: s.at, When: s.when, State: interrupted, Reason: restart, Answer: saidInterrupted})
	}
	rows = append(rows,
		Row{Play: Launch, Dies: Supervisor, When: "the script runs", State: interrupted, Reason: script.ReasonSupervisor, Answer: saidStarted},
		Row{Play: Launch, Dies: Both, When: "the script runs", State: interrupted, Reason: restart, Answer: saidStarted},
		Row{Play: OperatorCancel, Dies: Supervisor, At: step.GuardEnding, When: "it is ending the tree", State: script.Cancelled, Reason: script.ReasonOperator, Answer: saidStarted},
		Row{Play: OperatorCancel, Dies: Both, At: step.GuardEnding, When: "it is ending the tree", State: script.Cancelled, Reason: script.ReasonOperator, Answer: saidStarted},
	)
	for _, s := range []struct {
		at   step.Name
		when string
	}{
		{step.GuardEnding, "the program returned, its children live"},
		{step.GuardEmpty, "nothing is left, nothing says so"},
		{step.GuardRecorded, "the exit record is durable, nobody was told"},
	} {
		alone := Row{Play: Exit, Dies: Supervisor, At: s.at, When: s.when, State: interrupted, Reason: script.ReasonSupervisor, Answer: saidStarted}
		if s.at == step.GuardRecorded {
			alone.State, alone.Reason = script.Exited, script.ReasonProcessExit
		}
		rows = append(rows, alone, Row{Play: Exit, Dies: Both, At: s.at, When: s.when, State: interrupted, Reason: restart, Answer: saidStarted})
	}
	return rows
}
