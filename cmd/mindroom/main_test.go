package main

import (
	"fmt"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"go.uber.org/goleak"
)

// TestMain lets the test binary be mindroom itself when a script calls it, so
// that scripts meet the real command in a process of its own.
func TestMain(m *testing.M) {
	testscript.Main(noLeak{m}, map[string]func(){"mindroom": main})
}

// noLeak fails the tests when one of them left a goroutine behind.
type noLeak struct{ m *testing.M }

func (n noLeak) Run() int {
	code := n.m.Run()
	if err := goleak.Find(); code == 0 && err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}
