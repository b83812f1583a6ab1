// Package watch tells when the files of a configuration may have changed: it listens to the file system, waits until it is quiet,
// and looks by itself now and then, because an event can be lost (a network file system sends none at all).
//
// It knows nothing of configurations: which paths count is asked for anew before each wait, and whether anything really changed
// is for whoever is called to find out.
//
// Invariants, which the tests name by number:
//
//  1. A change of what a path leads to is told, however it was made: written in place, renamed over, or by a symbolic link on the
//     way that leads elsewhere now, as Kubernetes replaces a ConfigMap.
//  2. Other files of the same folders are nobody's business: a log that is written all day long beside the configuration neither
//     wakes anybody nor keeps a change from being told.
//  3. A path that is not there yet may appear.
//  4. A change is told after a moment without another one, and after at most ten such moments.
package watch
