package main

import (
	"io"
	"os"

	"mindroom/cmd/mindroom/tty"
)

// The rules of what commands print:
//
//  1. Results go to stdout, everything said about the work goes to stderr, so
//     that a pipe gets results only.
//  2. An error is one line, "mindroom: what happened: what to do", without a
//     capital at its start and without a full stop at its end.
//  3. Colour and rewritten lines appear only on a terminal, never with NO_COLOR
//     set or TERM=dumb; no meaning hangs on colour alone.
//  4. --json is one JSON document on stdout for programs: times in RFC 3339 and
//     UTC, every key always there, fields are added but never renamed.
//  5. What may take more than a second says what it waits for.
//  6. No secret is printed, typed back or taken as an argument.
//  7. What was written by others (names, output, messages) cannot move the
//     cursor or colour the terminal: control characters are shown, not obeyed.

// ui is where a command reads and prints.
type ui struct {
	in       io.Reader
	out, err io.Writer
	// inTTY, outTTY and errTTY say that the stream is a terminal.
	inTTY, outTTY, errTTY bool
	// colour is rule 3's decision for streams that are terminals.
	colour bool
	lookup func(string) (string, bool)
}

func newUI(in, out, err *os.File, lookup func(string) (string, bool)) *ui {
	u := &ui{in: in, out: out, err: err, inTTY: tty.IsTerminal(in), outTTY: tty.IsTerminal(out), errTTY: tty.IsTerminal(err), lookup: lookup}
	noColour, _ := lookup("NO_COLOR")
	kind, _ := lookup("TERM")
	u.colour = noColour == "" && kind != "dumb"
	return u
}

// ink is the parameter of a terminal's colour sequence.
type ink string

const (
	red    ink = "31"
	green  ink = "32"
	yellow ink = "33"
	cyan   ink = "36"
	faint  ink = "2"
	bold   ink = "1"
)

// paint colours text for a stream, if that is a terminal with colours.
func (u *ui) paint(tty bool, c ink, text string) string {
	if !tty || !u.colour {
		return text
	}
	return "\x1b[" + string(c) + "m" + text + "\x1b[0m"
}
