// Package approval owns the questions that tool calls put to people: what the
// operator's rules, the function itself and the launch make of a call (allow, ask
// or deny), the cards that show a question, the decisions, their time and their
// end. It is the one evaluator for every door; the context is an explicit value
// and nothing reads the environment.
//
// # Evaluation
//
// The order, of which the first that decides wins:
//
//  1. The first rule that matches the function's bare name, if it denies.
//  2. The function's own confirmation: it always asks (S13).
//  3. That rule, whatever it says (S12).
//  4. Unattended calls: preapproved at launch is allowed, anything else asks
//     (S09, S10).
//  5. tool_approval.default.
//
// A rule's script answers True for ask and False for allow. One that gives no
// answer in time denies, and the verdict says what failed (spec/runtime.md
// 1.10). A context that is not known denies.
//
// Python files run in warm processes of their own, each in a tree that its
// supervisor ends with this program; Starlark files run in this process within
// a number of steps.
//
// # Cards
//
//	card    | may become                            | by
//	pending | approved                              | its requester, while it is approvable
//	pending | denied                                | its requester
//	pending | expired                               | its time
//	pending | withdrawn                             | the end of its call, its owner or their rights
//	approved, denied, expired, withdrawn | –        |
//
// Invariants:
//
//  1. A call has one card, keyed by the call. Its deliveries are named by it, so
//     that however often an event is sent there is one question (traps: a card
//     that was sent twice).
//  2. The first end wins and never changes; later words are told how it ended.
//  3. Only the requester decides, and only about the arguments that were shown:
//     the decision carries their digest, and what was not shown whole can only
//     be denied (S18).
//  4. A card that has ended is shown as such, in the transaction of its end.
//  5. A question has the time it was given: a jump of the wall clock while the
//     process runs neither ends nor keeps it. A start arms what is left by the
//     wall clock.
//  6. Nothing but an approval lets a call run, and no end of a question makes a
//     call run by itself (S19).
package approval
