// Package hooks runs what an operator put around every tool call. Hooks see all
// doors alike (S17): before a body each is asked in order, the first that
// declines ends the call, and every hook sees how a call ended, refusals
// included.
//
// Configured runs the programs and web addresses of tool_hooks, as the newest
// configuration has them. What holds for it:
//
//  1. A decline, and the want of an answer where on_error denies, is a failed
//     call of kind declined. It is never a success.
//  2. No hook takes longer than its timeout, the wait for its turn included. A
//     program that does is ended with its whole tree.
//  3. What is told after a call is told beside its receipt, which never waits
//     for it, and changes nothing. It is told at most once: what is still to
//     be told when too much waits, or when the runtime ends, is dropped and
//     logged. The audit is the record.
//  4. Arguments and results leave this process without what secret.Tree finds.
package hooks
