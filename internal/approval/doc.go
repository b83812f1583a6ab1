// Package approval says what the operator's rules, the function itself and the
// launch make of a call: allow, ask or deny. It is the one evaluator for every
// door; the context is an explicit value and nothing reads the environment.
//
// The order, of which the first that decides wins:
//
//  1. A rule that denies.
//  2. The function's own confirmation: it always asks (S13).
//  3. The first rule that matches the function's bare name (S12).
//  4. Unattended calls: preapproved at launch is allowed, anything else asks
//     (S09, S10).
//  5. tool_approval.default.
//
// A rule that cannot be evaluated asks; a context that is not known denies.
package approval
