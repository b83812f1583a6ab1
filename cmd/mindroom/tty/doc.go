// Package tty is what commands need to know about terminals: whether a stream
// is one, how wide text is there, how it breaks into rows, and how text that
// others wrote is kept from controlling it.
package tty
