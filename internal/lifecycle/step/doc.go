// Package step names the moments at which a process may die: those after which
// something is on disk, at the homeserver or in another process that was not
// there before. The crash matrix (test/crash) kills a real process at each.
//
//  1. In the product reaching a step is nothing: Reached is an empty function
//     that the compiler removes.
//  2. Built with the tag crashsteps, a process kills itself with SIGKILL at the
//     step that its environment names, and at no other.
//  3. Every step in All has at least one row in the crash matrix; a test holds it.
package step
