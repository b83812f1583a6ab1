//go:build !crashsteps

package step

import (
	"slices"
	"testing"
)

// A step that is listed twice would be counted by two rows of the matrix.
func TestStepsAreNamedOnce(t *testing.T) {
	t.Parallel()
	seen := map[Name]bool{}
	for _, name := range All() {
		if name == "" || seen[name] {
			t.Errorf("step %q is empty or named twice", name)
		}
		seen[name] = true
	}
	if !slices.Contains(All(), GuardRecorded) {
		t.Error("the list ends too early")
	}
}

// Reaching a step costs nothing in the product.
func TestReachedCostsNothing(t *testing.T) { // not parallel: it counts the whole program's allocations
	if n := testing.AllocsPerRun(100, func() { Reached(RunTerminal) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if env := Inherited(); env != nil {
		t.Errorf("children get %q", env)
	}
}
