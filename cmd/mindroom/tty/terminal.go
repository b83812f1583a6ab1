package tty

import (
	"os"

	"golang.org/x/term"
)

// IsTerminal reports whether f is a terminal.
func IsTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// Size is the width and height of the terminal f in characters, and 80 by 24
// where it does not say.
func Size(f *os.File) (width, height int) {
	w, h, err := term.GetSize(int(f.Fd()))
	if err != nil || w < 1 || h < 1 {
		return 80, 24
	}
	return w, h
}

// ReadSecret reads a line from the terminal f without showing it.
func ReadSecret(f *os.File) (string, error) {
	text, err := term.ReadPassword(int(f.Fd()))
	return string(text), err
}
