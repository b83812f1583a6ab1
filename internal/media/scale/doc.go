// Package scale makes pictures small enough to be shown to a model. A picture that
// is small enough goes as it is; of any other a JPEG is made for the occasion, and
// the original stays what it is.
//
// Invariants:
//
//  1. A picture's size is read from its header before anything of it is decoded, and
//     one that would take more than maxDecoded bytes of memory never is: a few bytes
//     can claim to be a wall.
//  2. One picture is decoded at a time in a process; the others wait.
//  3. What is given is at most MaxShown bytes and MaxSide pixels wide or high, the
//     right way up, on white, and the same in every process.
//  4. Whatever the bytes are, the worst is an error.
package scale
