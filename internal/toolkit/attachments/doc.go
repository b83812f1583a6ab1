// Package attachments is the toolkit with which an agent works on the files of its
// conversation: those that people sent, that calls returned and that it sent
// itself (spec/runtime.md 6.16).
//
// Invariants:
//
//  1. A call sees the attachments of its own conversation and no others; one of
//     another conversation is as unknown as one that never was.
//  2. A file is saved as a new file of the workspace; nothing is replaced.
//  3. What a model can see goes to it as a picture, what it can read as text,
//     and of anything else it is told how to get at it.
package attachments
