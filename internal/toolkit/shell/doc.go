// Package shell is the toolkit that runs commands in the agent's workspace and
// keeps those that take longer (spec/runtime.md 6.3).
//
// A command is a record:
//
//	foreground → gone        it ended in time and nothing of it is left
//	foreground → background  its time-out passed, or it returned and left processes behind
//	foreground → gone        its call was cancelled: the whole tree is ended
//	background → finished    nothing of it is left; killed, ended or shut down
//	finished   → gone        ten minutes later, or pushed out by newer ones
//
// Invariants:
//
//  1. A call returns when the command's own process ends, whoever still holds its
//     output; what is left is told, kept under a handle and can be ended.
//  2. Ending a command ends its whole tree, and is claimed only when nothing of it is
//     left.
//  3. A handle works for the requester and agent that got it; to everybody else
//     it is as unknown as one that never was.
//  4. At most MaxRunning commands of one requester and agent run at a time.
//  5. The text of a command never stands in a process's arguments, and no
//     variable of this process reaches a command unless it is on the list.
//  6. No result hides a failure: exit code and output stand together.
//  7. After Close nothing of any command is left, or Close says so.
package shell
