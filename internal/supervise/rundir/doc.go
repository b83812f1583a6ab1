// Package rundir is the layout of a run's own folder: what the client makes, the supervisor keeps and a later primary finds.
//
//	lock             held by the supervisor as long as it lives; whoever gets it knows that the supervisor is dead
//	supervisor.json  wire.Identity: how to find the tree without the supervisor
//	output           the tail of the output, see package tail
//	supervisor.err   empty, unless the supervisor crashed
//	exit.json        wire.Record: written last, and only when nothing of the tree is left
//
// Invariants:
//
//  1. A folder serves one run; it is never used again.
//  2. The lock belongs to an open file that the client locks and the supervisor inherits, so that there is no moment between them at which it is free.
//  3. exit.json appears whole and durable, or not at all.
package rundir
