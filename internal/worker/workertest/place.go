package workertest

import (
	"context"
	"testing"
	"time"

	"mindroom/internal/worker"
)

// Place is where a backend's processes live. Every field is required.
type Place struct {
	// New makes a backend as a primary does when it starts. What it holds is
	// freed with the test.
	New func(t *testing.T) worker.Backend
	// Folder is a new folder for one run, as worker.Spec.Folder wants it, and Dir
	// a working directory that exists.
	Folder func(t *testing.T) string
	Dir    func(t *testing.T) string
	// Earlier starts the process in a primary of its own, waits until it wrote
	// want, kills that primary with SIGKILL, and returns the handle it had.
	Earlier func(t *testing.T, spec worker.Spec, want string) worker.Handle
	// KillSupervisor kills with SIGKILL what supervises a run, and nothing else.
	KillSupervisor func(t *testing.T, spec worker.Spec)
	// Alive counts the living processes that have mark in their environment.
	Alive func(t *testing.T, mark string) int
}

// patience bounds every wait; only a fault reaches it.
const patience = 30 * time.Second

func within(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}

// Run holds a backend to the suite.
func Run(t *testing.T, p Place) {
	t.Helper()
	for name, test := range map[string]func(*testing.T, Place){
		"exit":                   testExit,
		"surroundings":           testSurroundings,
		"output":                 testOutput,
		"graceful end":           testGraceful,
		"forced end":             testForced,
		"unknown run":            testUnknown,
		"forgotten run":          testForget,
		"deadline":               testDeadline,
		"tree":                   testTree,
		"start refused":          testRefused,
		"second start":           testSecondStart,
		"impatient end":          testImpatient,
		"end at the same time":   testEndTwice,
		"lost supervisor":        testLost,
		"earlier process":        testEarlier,
		"earlier process, ended": testEarlierEnded,
		"both lost":              testBothLost,
		"handles nobody knows":   testForeignHandle,
		"run that never started": testNeverStarted,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, p)
		})
	}
}
