// Package proc reads the kernel's list of processes and signals one of them without ever hitting another that was given its number.
//
//  1. A process is named by its number and the tick it started at (Ident); the number alone names nobody.
//  2. A signal goes through a descriptor of the process that was opened before its identity was checked; where the kernel has no such descriptors, the
//     check comes right before the signal.
//  3. A zombie is dead: it runs nothing and holds nothing.
package proc
