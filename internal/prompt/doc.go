// Package prompt writes what a model reads before it answers: the system prompt
// of an agent in standard mode and in minimal mode, the documents that take the
// place of what the minimal one leaves out, and the conversation as messages. All
// are pure functions of plain values; whoever calls them gathers the facts.
//
// Invariants:
//
//  1. The system prompt begins with what is the same in every turn of the agent
//     (who it is, its role, its instructions) and ends with what is not (what it
//     remembers, where it is, the date), so that a provider's prompt cache holds the beginning.
//     The date has no time of day in it for the same reason.
//  2. Messages alternate between user and assistant, begin and end with user,
//     and the last one ends with the message to answer and its files.
//     What is answered with that message stands before it, in <queued_messages>.
//  3. The newest messages are kept when not all fit, the last of them cut where a
//     good part of it fits, and it says so; the message to answer is always there,
//     cut only if it alone is too long, and says so.
//  4. What somebody else wrote cannot pose as another sender or as a time: it
//     stands in a <msg> element and cannot close it.
//  5. A file that a message carries is named in it, with the id by which tools
//     know it; one that is shown follows the message, under its id. What is not
//     shown says why.
//  6. A minimal prompt is short whatever the agent has: it names and counts, and holds
//     no file, role, instruction or guidance. All of that is in Documents, whole.
//  7. Text that a message only quotes is not repeated: the fallback of a reply
//     is removed, because a model tends to echo it.
package prompt
