// Package contain holds a process tree inside kernel groups that no fork, setsid or emptied environment leaves by itself.
//
// Levels, best first:
//
//	cgroup2    one write to cgroup.kill ends everything inside, forks in flight included
//	freezer    cgroup v1: freeze, signal every frozen process, thaw; nothing inside can fork meanwhile
//	subreaper  no cgroup may be made: the supervisor stops what it sees until it sees nothing new, then kills
//
// The subreaper is always there as well, for whoever moved itself out of a group. A PID namespace is not used: it needs the same privilege as a
// cgroup, changes the process numbers a script sees, and leaves /proc speaking of other numbers than getpid.
//
// 1. A Group's folders carry a random name, so a recorded path never names another tree.
// 2. The leader is born inside its groups; there is no moment at which its children could be born outside.
// 3. A Group is removed only when it is empty, and never by force.
package contain
