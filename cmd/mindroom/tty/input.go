package tty

import (
	"fmt"
	"io"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// Input reads a file whose Read would block for as long as nobody types, and can
// be ended all the same. One goroutine may read it.
type Input struct {
	f      *os.File
	wake   *os.File
	ending *os.File
	once   sync.Once
}

// NewInput reads f, which stays the caller's. End it with Close.
func NewInput(f *os.File) (*Input, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("read the input: %w", err)
	}
	return &Input{f: f, wake: r, ending: w}, nil
}

// Read waits for input, and is io.EOF once End was called.
func (in *Input) Read(p []byte) (int, error) {
	fds := []unix.PollFd{{Fd: int32(in.f.Fd()), Events: unix.POLLIN}, {Fd: int32(in.wake.Fd()), Events: unix.POLLIN}}
	for {
		fds[0].Revents, fds[1].Revents = 0, 0
		if _, err := unix.Poll(fds, -1); err != nil {
			if err == unix.EINTR {
				continue
			}
			return 0, fmt.Errorf("read the input: %w", err)
		}
		switch {
		case fds[1].Revents != 0:
			return 0, io.EOF
		case fds[0].Revents != 0:
			return in.f.Read(p)
		}
	}
}

// End makes this and every later Read io.EOF. It may be called often.
func (in *Input) End() { in.once.Do(func() { _ = in.ending.Close() }) }

// Close frees what NewInput made, after End and when no Read is under way.
func (in *Input) Close() error {
	in.End()
	return in.wake.Close()
}
