// Package retention deletes what is over and was kept long enough: messages
// heard and said, commands, turns, the audit of calls, files. Which rows may go is decided by
// the packages that own them; this one says when, in what order, and gives the space
// back. Runs have their own retention (S77), in package script.
//
// Invariants:
//
//  1. Nothing is deleted because somebody set the clock wrong for a minute: the
//     instants come from a clock.Steady.
//  2. The first pass waits until the start has long been over.
//  3. Every pass works in small transactions, between which others write.
//  4. A pass that fails in one part goes on with the others and is tried again
//     at the next one.
package retention
