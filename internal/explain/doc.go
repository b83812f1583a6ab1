// Package explain tells why something happened: for a run, a turn or a call,
// which door it came through, what it was granted, which rule decided, what
// hooks said, where it ran, how it ended, and what caused it, step by step back
// to a message in a room.
//
// It works from the database alone, beside a running primary or without one,
// and has no tables of its own: it asks the packages that own the rows.
//
// Invariants:
//
//  1. One explanation is of one committed state of the database.
//  2. What was not recorded reads as not recorded; nothing is guessed.
//  3. Everything that others wrote (arguments, results, messages, names) is
//     redacted and cut before it leaves the package. A message that was taken
//     back is not repeated.
//  4. A chain has at most maxLinks links, whatever the database says.
package explain
