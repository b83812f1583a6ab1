// Package guard is the supervisor of one process tree: what the binary mindroom-supervise runs. It starts the leader, keeps the tail of its output, ends the
// whole tree when told, when the deadline passes or when the primary is gone, and says "dead" only when nothing is left.
//
// The tree's phases, and what moves it:
//
//	starting  → running    the leader was started
//	starting  → dead       it could not be started
//	running   → detached   the leader returned, children are left, the Spec keeps them
//	running   → ending     the leader returned and the Spec keeps nothing; or an end was asked for, the deadline passed, the primary is gone
//	running   → dead       the leader returned and nothing is left
//	detached  → ending     an end was asked for, or the primary is gone
//	detached  → dead       the last child ended
//	ending    → dead       nothing is left
//
// Invariants:
//
//  1. One supervisor owns one tree. It is the tree's subreaper, so a process of the tree whose parent dies becomes its child; without a child it has no tree.
//  2. Dead is said only after wait4 answered that there is no child and the tree's groups are empty, and after the exit record is durable.
//  3. The exit of the leader is the exit of its process, never the end of its output: a child that holds the pipe holds nothing up.
//  4. SIGKILL follows the grace as long as anything of the tree lives, whether or not the leader does.
//  5. The first cause wins. An exit that the kernel already told comes before an end that is asked for now.
//  6. The deadline is the supervisor's own monotonic timer, and needs neither the primary nor the leader to run.
//  7. The supervisor never waits for its client: the newest State replaces one that could not be sent.
//  8. The leader is forked by the main thread, which lives as long as the supervisor; its parent-death signal is SIGKILL, so a killed supervisor takes the
//     leader with it, and the recorded identity lets a client find the rest.
//  9. A failure to keep output or to write the record is told, and stops nothing.
package guard
