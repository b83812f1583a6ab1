// Package interactive is the questions with options that an agent asks at the
// end of an answer: the block it writes, the words that people read, and the
// row that waits for one person's choice (spec/runtime.md 3.15; M37).
//
//	question | may become       | by
//	open     | answered         | the choice of its requester
//	open     | closed           | the agent's next answer to the requester there, its next question, or a restore
//	open     | expired          | time: lasting after it was asked, also over restarts
//	answered, closed, expired   | –
//
// Invariants:
//
//  1. A question becomes durable with the answer that asks it, and a choice with
//     the turn that it starts: a crash leaves both or neither.
//  2. Only its requester chooses, and only while they may use the agent there. Of
//     two choices the first one that is durable counts; any other does nothing.
//  3. A choice is a reaction with an option's emoji, or the number of an option
//     as a reply to the question, or as a message by itself in its conversation.
//  4. Of one agent, conversation and requester at most one question is open.
//  5. What a question puts into its room has ids made from its turn, so that no
//     crash doubles it: a reaction an option, and what takes each away.
//  6. A block that is not well formed is text like any other, and so is one
//     inside another fence.
package interactive
