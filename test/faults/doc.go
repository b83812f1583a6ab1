// Package faults plays what a homeserver can do to us: the built binary and a real
// homeserver with a proxy between them that fails. Each fault is played in an
// encrypted room, most in one in clear as well.
//
// After every fault, whatever it was:
//
//  1. Every message has exactly one visible answer, and it is finished.
//  2. Nothing is left to be sent, to be answered or to be opened.
//  3. While the homeserver fails it is asked a few times a second at most, and less
//     and less.
//  4. The runtime goes on: the next message is answered.
package faults
