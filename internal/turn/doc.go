// Package turn gives one response to one message: the loop between a model and
// its tools, what the room sees of it, and what is left of it when the process
// dies.
//
//	turn        | may become                                 | if the process dies here
//	clean       | dirty, parked, answered, failed, cancelled | goes on from its checkpoint; one answer
//	dirty       | clean, parked, answered, failed, cancelled | interrupted: visible note, known results kept, no tool again;
//	            |                                            | parked where calls inside a command wait for people
//	parked      | ready, failed                              | parked
//	ready       | claimed                                    | ready
//	claimed     | dirty, parked, answered                    | interrupted
//	answered, failed, cancelled, interrupted                 | as written
//
// Clean means that no call was begun since the last checkpoint. Parked, ready
// and claimed belong to approval cards. A turn parks in two ways: before anything
// of its batch ran, when a call of the batch needs one; and in the middle of it,
// when nothing of it is left but calls that its commands have made through
// mindroom-agent and that need one.
//
// Invariants:
//
//  1. A state changes only along the table, each change in one transaction with
//     what makes it true: the checkpoint, or the final delivery.
//  2. A message is answered by an agent with one turn; a second request for it
//     is known.
//  3. A turn shows one message, from its placeholder to its end, under delivery
//     ids that every process makes alike, and it has exactly one end.
//  4. Before a body runs, its turn is durably dirty and the call durably begun.
//     A turn found dirty runs no tool again.
//  5. An agent answers one turn at a time in a conversation, in the order of
//     their creation; other conversations and agents do not wait for it.
//  6. Prompt, model and tool surface of a turn are of one configuration
//     snapshot; whether a call may run is judged by the newest.
//  7. One process edits an answer at most maxEdits times, and no edit in
//     progress comes after its end.
//  8. What a model gets wrong (broken arguments, an unknown tool, a refused
//     call) is a result it reads, never the end of the turn; the same failure
//     again and again, or more than maxRounds questions, is.
//  9. Every end says something in the room, an empty answer and a provider's
//     failure included.
//  10. A cancellation is durable before anything is done about it, and the first
//     one to cancel is remembered.
//  11. A growing answer carries a stop button while it grows; every end takes it
//     away, under ids of the turn, so that no crash leaves or doubles it.
//  12. A call waits, at most doubtMost, while it cannot be told whether the
//     requester may use the agent: doubt is neither a yes nor a no.
//  13. A question that is longer than the model's window is asked again at most
//     three times, each time with less of the conversation and of
//     earlier results; the message to answer and every call stay.
//  14. Questions of a batch become durable with the parked turn. Parked it is a row:
//     no goroutine, no typing, and other turns of its conversation do not wait for it.
//  15. Every call of a parked batch is made at most once, after the last
//     decision, with the arguments that were shown.
//  16. The mode of a response is settled when it starts and is its own to its end. In
//     minimal mode the model has Bash alone, which is the agent's own shell, and
//     every attempt looks whether the mode is possible still.
//  17. The door of mindroom-agent belongs to the response, parked or not, and is
//     closed with it, whatever its end is.
//  18. A call inside a command that waits for a person is durable with its question,
//     and is made at most once, after a decision, by whoever has the turn then. A
//     command is never run again: not after a restart that interrupted it, and not
//     after one that came while it waited for a decision itself.
//  16. An answer that ends by itself may ask a question with options. It becomes durable
//     with the turn's end, and a choice starts a turn of its own
//     (internal/interactive). What the agent's history knows of it is the block
//     it wrote; people read the question.
//
// A turn of a subagent (RunSubagent) is one without a message: it answers the call that
// asked for it, in the words of a task, and tells its caller instead of the room. What it
// said and did is kept with the subagent, which may be continued:
//
//		subagent    | may become
//		running     | completed, failed, cancelled, interrupted: with the end of its turn, in one transaction
//		all others  | running, by ContinueSubagent
//
//	 19. A call makes at most one turn of a subagent, and that is worked on in one
//	    process only: a start ends it interrupted, and its questions are withdrawn.
//	 20. A subagent's turn waits in its caller's call, questions included; the end of
//	    the caller, whatever it is, is the end of its subagents, but for those in the
//	    background.
//	 21. A subagent acts for the requester of its caller in the same place, as another
//	    agent that the requester must be allowed to use, and can do nothing that its
//	    agent could not; an authored one nothing that its caller could not.
//	 22. What a subagent goes on from is a whole conversation: every call has its result,
//	    and the last word is its own.
//	 23. Where no person can be asked, the functions that might ask are not among those
//	    of the subagent.
//
// A restore from a backup ends every live turn (Restore): what the lost process
// did with it cannot be known.
//
// A turn knows nothing of the background runs its calls started: they go on
// after its end, whatever that was (S85).
package turn
