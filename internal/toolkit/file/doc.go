// Package file is the toolkit that reads and writes text files in the agent's
// workspace, and shows pictures that lie in it (spec/runtime.md 6.4).
//
// Invariants:
//
//  1. Nothing outside the workspace is ever opened, whatever a name, a symbolic
//     link or a change made meanwhile says: every access goes through os.Root.
//  2. A file is written whole or not at all: a reader, and the next process after a crash, see the old
//     text or the new one.
//  3. Only regular files are read, so no pipe or device can hold a call.
//  4. A picture is told by its content. It goes to the model as one, at most
//     maxPicture bytes; a caller that sees no pictures, such as a script, reads what it is.
//  5. Every size, list and search is bounded; what was left out is said.
package file
