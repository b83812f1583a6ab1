// Package past writes a database in which something happened, through the parts
// that write it in the product: a person's message, the turn that answered it,
// the run that the turn launched, calls of that run, the message one of them
// sent, and the turn which that message began. Tests of what reads a database
// from outside stand on it.
package past
