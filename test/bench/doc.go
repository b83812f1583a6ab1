// Command bench measures what the project promises about speed and prints it as
// a table, with the budget beside each figure, and as JSON. Nothing fails for
// being slow unless -strict is given: speed depends on the machine, and a test
// that is timed is a test that lies.
//
//  1. A figure is measured here and now or not printed: a row that could not be
//     measured says why.
//  2. What is not the primary's (the Python client, the fsync of the disk, the
//     homeserver) is printed apart.
//  3. Load comes from other processes: real scripts, or this program again with
//     a plan on standard input. Only the primary's own work counts as its CPU
//     and its memory.
package main
