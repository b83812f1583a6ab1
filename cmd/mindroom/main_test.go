package main

import (
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"go.uber.org/goleak"

	"mindroom/test/homeserver"
)

// TestMain lets the test binary be mindroom itself when a script calls it, so
// that scripts meet the real command in a process of its own.
func TestMain(m *testing.M) {
	testscript.Main(noLeak{m}, map[string]func(){"mindroom": main})
}

// noLeak stops the homeserver after the tests, and fails them when one of them
// left a goroutine behind.
type noLeak struct{ m *testing.M }

func (n noLeak) Run() int {
	return homeserver.Main(n.m, func() error { return goleak.Find() })
}
