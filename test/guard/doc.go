// Package guard holds what no compiler does: which package may import which,
// who may start a goroutine, that every package says what it is, that files
// stay readable and small programs small. It has tests only; they read the
// source tree and `go list`, and every message names the rule that was broken.
//
// A package that does not exist yet breaks no rule. One that exists must have
// its place in the table of layers_test.go.
package guard
