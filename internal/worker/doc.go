// Package worker is the port between a run and the place where its process
// lives: this machine, a Docker container, a Kubernetes pod. Every backend is
// held to the one suite in workertest.
//
// Invariants every backend keeps:
//
//  1. Start either returns a handle of a started process, or proves that none
//     was started (ErrNotStarted), or leaves it open (any other error); it never
//     starts a second process for the same run.
//  2. A handle is a version and an opaque document. It is stored by whoever
//     started the run and is enough, with the run's own folder, to find the
//     process again or to prove it dead, also after a restart.
//  3. End returns an Exit only when no process of the tree is left. What cannot
//     be proven is ErrUnproven, and nothing durable was changed by trying.
//  4. A transport fault concerns the request alone; it is never read as the
//     death of a process.
package worker
