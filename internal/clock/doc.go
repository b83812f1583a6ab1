// Package clock holds the only source of instants that are stored.
//
// Timers and deadlines of a running process are the standard library's and are
// tested under testing/synctest; they need no seam. An instant that outlives
// the process does need one: a test must be able to say what was written, and
// every row must sort as text in the order in which it was written.
//
// Invariants:
//
//  1. Every stamp has the same length, is in UTC and ends in Z, so that the
//     order of stamps as text is the order of the instants.
//  2. ParseStamp accepts exactly what Stamp writes and nothing else; a stamp
//     read back and written again is the same bytes.
//  3. A jump of the wall clock does not move a Steady until it has lasted for a
//     day: nothing that was kept for days is deleted because of it.
package clock
