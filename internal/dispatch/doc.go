// Package dispatch answers one question: of everything an agent's account
// heard, which message is for this agent? Decide is pure and has a table
// beside it; Pump carries its answers out, once for each journal row.
//
// The rules, in order (the first that applies decides):
//
//	not live, not a text message, an edit, empty                   ignore
//	a command                                                      the one account that takes the room's commands
//	a reply to one of our messages that somebody claims            its claimant
//	a message by itself that somebody claims                       its claimant
//	sent by one of our accounts                                    ignore, unless it is a trusted relay that mentions the agent
//	the agent is mentioned                                         answer
//	somebody else is mentioned                                     ignore
//	sent by a bot account                                          ignore
//	in a thread with more than one person                          ignore
//	in a thread in which exactly one eligible agent took part      that agent answers
//	in a thread in which several took part                         ignore
//	otherwise                                                      answer if this is the only eligible agent of the room
//
// Whoever would answer must have access: a no is ignored as if the agent were
// absent, and what cannot be told now is deferred, never refused.
//
// Invariants:
//
//  1. A message of our own accounts starts a turn only as a trusted relay: our
//     sender, the relay's source kind, an original sender who is a person, and
//     the agent named in m.mentions. Nothing in another sender's content counts.
//  2. A chain of self-triggers ends at the configured cap with a visible note, not with a
//     turn.
//  3. A journal row and the turn that it starts change in one transaction, so
//     that a crash between them loses nothing and answers nothing twice.
//  4. A deferred row stays new and holds up only the rows of its own room.
//  5. A command is accepted once, whoever of our accounts heard it, and by an
//     account that is in the room.
//  6. A person's reaction to one of our messages is offered to the takers by the
//     account that sent it, and to nobody else; what nobody claims is ignored.
//  7. What a body quotes (a reply's fallback, fenced code) mentions nobody.
//  8. A message from before a restore is answered only where the account has not
//     spoken after it; commands and reactions from before are not acted on again.
//  9. A file without a word waits for the next message of its sender in the same place,
//     at most as long as configured, and is answered with it by one turn: its row
//     stays new until then and is taken in the transaction that makes the turn.
//     Meanwhile it holds up nobody.
package dispatch
