// Package wire is what the client of a supervisor and the supervisor say to each other, and what they leave on disk for each other.
//
// One socket pair, two directions. The client sends one Start and then Requests; the supervisor sends States. A State is always the whole
// truth of its moment, never a difference, so that a slow or stopped client costs the supervisor nothing: whatever could not be sent is
// replaced by the next State.
//
// A frame is four bytes of big-endian length and that many bytes of JSON. Both sides refuse a frame above MaxFrame.
//
// The package is imported by the small binary: standard library only, beside the neighbours contain and proc.
package wire
