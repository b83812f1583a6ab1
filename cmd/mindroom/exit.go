package main

import (
	"errors"
	"fmt"
	"strings"

	"mindroom/internal/control"
)

// What the exit status of every command means. Each command's help repeats the
// lines that concern it, because scripts are written from the help.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitUnreachable = 4
	exitInterrupted = 130
)

// exitLines are the sentences of the help for each status.
var exitLines = map[int]string{
	exitDone:        "done",
	exitFailed:      "it failed; the reason is on stderr",
	exitUsage:       "wrong use: an unknown command or flag, or a missing argument",
	exitUnreachable: "no running MindRoom answers on the control socket",
	exitInterrupted: "interrupted before it was done",
}

// usageError is an error of whoever typed the command.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// reported is an error whose lines are on stderr already.
type reported struct{ error }

func (e reported) Unwrap() error { return e.error }

// exitStatus is the status with which a command that returned err ends.
func exitStatus(err error) int {
	var usage usageError
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &usage):
		return exitUsage
	case errors.Is(err, control.ErrNotRunning):
		return exitUnreachable
	case errors.Is(err, errInterrupted):
		return exitInterrupted
	}
	return exitFailed
}

// execute runs one command line and returns its exit status.
func execute(args []string, u *ui) int {
	root := newRoot(u)
	root.SetArgs(args)
	cmd, err := root.ExecuteC()
	status := exitStatus(err)
	var told reported
	switch {
	case err == nil, status == exitInterrupted, errors.As(err, &told):
		return status
	case status == exitUsage:
		u.fail(fmt.Errorf("%w: see '%s --help'", err, cmd.CommandPath()))
	default:
		u.fail(err)
	}
	return status
}

// fail tells an error on stderr, several lines of it one by one.
func (u *ui) fail(err error) {
	for line := range strings.Lines(err.Error()) {
		fmt.Fprintln(u.err, u.paint(u.errTTY, red, "mindroom:"), strings.TrimRight(line, "\n"))
	}
}

// warn says what the work goes on without.
func (u *ui) warn(text string) {
	fmt.Fprintln(u.err, u.paint(u.errTTY, yellow, "mindroom:"), text)
}
