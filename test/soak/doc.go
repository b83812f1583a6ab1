// Command soak lets real scripts call for minutes without pause and looks for
// what grows, what is lost and what is left.
//
// One phase is one primary of its own: a process with the real store, room,
// gateway and supervisors (test/rig), real Python scripts that call through the
// real SDK, others whose calls all wait (one of each script in its body, the rest
// for their turn), and launches and cancellations in between. Three quarters of the time go to the ordinary
// build, the rest to one with the race detector.
//
//  1. What is compared is the same state again and again: before each settled
//     sample the counting calls are stopped inside their bodies, every held call
//     is claimed, no launch is under way and the garbage is gone.
//  2. Growth is judged by many samples: the slope over the later half of them
//     (the median of all pairs), and the last three against the first three
//     after the warm-up. Too few samples are a violation, not a pass.
//  3. A call that a script saw completed has exactly one receipt, which is
//     completed, one audit record, and one effect. No effect occurs twice. No
//     receipt is pending at the end. This is checked over the database, after
//     the primary's end.
//  4. At the end nothing is left: no process, no capability file, no run
//     folder; and the stop keeps within its budget, although scripts still run
//     and their calls still wait.
//  5. The judge reads figures and knows nothing of how they came about, so that
//     its own tests can feed it.
package main
