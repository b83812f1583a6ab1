// Package approval says what the operator's rules, the function itself and the
// launch make of a call: allow, ask or deny. It is the one evaluator for every
// door; the context is an explicit value and nothing reads the environment.
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
package approval
