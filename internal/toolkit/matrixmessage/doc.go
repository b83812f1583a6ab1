// Package matrixmessage is the toolkit that speaks in Matrix rooms as the
// agent: it sends, replies, reacts, edits and reads (spec/runtime.md 6.2). It calls
// no homeserver: what it says is a row of the outbox, in the agent's account.
//
// Invariants:
//
//  1. A message starts a turn only when it names a recipient that may answer the
//     requester in that room; it is then a trusted relay that carries the
//     requester (S41, S43). Any other message is marked so that it starts none.
//  2. A relay is one step deeper than the call that made it, so that a chain can
//     be cut.
//  3. The place is the call's own conversation unless another is given. In
//     another room the agent and the requester must both be, and the requester must
//     be let in there; nothing bypasses that (S42). A room that may not be used and one
//     that does not exist are refused with the same words.
//  4. One call makes one delivery, and one more a file it sends: their ids are
//     made of the call's own key.
//  5. A call ends when the event is in the room, or says that it is queued.
//  6. A file that is sent is one of the agent's workspace, or an attachment of the
//     call's own conversation; nothing else can be named.
package matrixmessage
