// Package supervise starts process trees, each under a supervisor of its own (the small binary mindroom-supervise, package guard), follows them and ends them
// with a proof that nothing is left (S28, S29, S57, S71, S74, S75).
//
// Start gives a Process; Reclaim deals with a run folder whose Process died with an earlier primary. The parts both sides share are in the folders below:
// wire (what they say), proc (who a process is), contain (cgroups), tail (bounded output in a file), rundir (the folder of a run), guard (the supervisor).
//
// What a Process promises:
//
//  1. Exited closes when the leader's process has ended, whatever still holds its output.
//  2. Dead closes only when it is proven that nothing of the tree is left, by the supervisor or, if that was killed, by this package. Record is final then.
//  3. What cannot be proven is not claimed: the channel stays open, or ErrUnproven is returned.
//  4. One goroutine a Process; Close waits for it.
//  5. Output is read from a file the supervisor writes: reading costs the supervisor nothing and works when it is dead.
//  6. Nothing is signalled by its number alone; see package proc.
//  7. A piped leader (Spec.Piped) is talked to through its descriptors 0 and 1; whoever waits for it is told when it dies.
package supervise
