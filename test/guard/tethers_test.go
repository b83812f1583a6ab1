package guard

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// tethers may ask the kernel to signal a child at the death of its parent. What
// they do around it keeps the thread on which that depends.
var tethers = []struct{ tree, why string }{
	{"test/tether", "it pins the thread for the life of the child"},
	{"internal/supervise/guard", "its main goroutine keeps the main thread"},
}

// TestDeathSignalsHaveOneOwner holds that nobody else asks for a death signal: the
// signal comes when the thread ends that forked, and threads end at any time.
func TestDeathSignalsHaveOneOwner(t *testing.T) {
	t.Parallel()
	dir, seen := root(t), 0
	sources(t, func(file string) {
		raw, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			t.Error(err)
			return
		}
		if !bytes.Contains(raw, []byte("Pdeath"+"sig")) {
			return
		}
		seen++
		for _, s := range tethers {
			if within(s.tree, filepath.ToSlash(filepath.Dir(file))) != "" {
				return
			}
		}
		t.Errorf("%s asks for a death signal; start the process with test/tether", file)
	}, ".go")
	if seen == 0 {
		t.Error("nobody asks for a death signal: this test looks at nothing")
	}
}
