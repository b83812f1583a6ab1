package console

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"mindroom/cmd/mindroom/tty"
)

// Pipe is the screen for anything but a terminal: messages on out, the rest on notes.
func Pipe(out, notes io.Writer) Screen { return lines{out, notes} }

// maxLine bounds a line of the input, in bytes: a homeserver takes no message
// that is longer.
const maxLine = 60 << 10

// Lines reads the lines of anything but a terminal.
func Lines(in *tty.Input) LineReader {
	s := bufio.NewScanner(in)
	s.Buffer(make([]byte, 0, 4096), maxLine)
	return piped{in, s}
}

type piped struct {
	in *tty.Input
	s  *bufio.Scanner
}

// ReadLine is the next line.
func (p piped) ReadLine() (string, error) {
	if p.s.Scan() {
		return p.s.Text(), nil
	}
	switch err := p.s.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return "", fmt.Errorf("a line of the input is longer than %d bytes: break it", maxLine)
	case err != nil:
		return "", fmt.Errorf("read the input: %w", err)
	}
	return "", io.EOF
}

// End makes ReadLine end.
func (p piped) End() { p.in.End() }
