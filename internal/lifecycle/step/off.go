//go:build !crashsteps

package step

// Reached does nothing here; see the package's sentence 1.
func Reached(Name) {}

// Inherited is what a child process needs in its environment to die at its own
// steps: nothing here.
func Inherited() []string { return nil }
