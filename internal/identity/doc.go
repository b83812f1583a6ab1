// Package identity says who a call is for: the execution identity that is
// captured with a turn or a run, and every name derived from it (ids, worker
// keys).
//
// Invariants:
//
//  1. An Execution never changes after it was captured. A run compares the
//     identity rebuilt for a call with the stored one field by field (S42).
//  2. An id says what it names by its prefix, so that a run id can never be
//     taken for a turn id. Each kind has a type and a Parse of its own.
//  3. A worker key is only ever made here; the agent name is its last
//     component and the requester may contain colons, so whoever takes a key
//     apart begins at both ends (S45).
package identity
