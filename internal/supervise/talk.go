package supervise

import (
	"errors"
	"io"
	"os"
)

// Talk is what this program and a piped leader (Spec.Piped) say to each other: a write is what the leader reads from descriptor 0, a read is what it wrote to
// descriptor 1. Reads end with io.EOF when every process that holds the other end has closed it or died.
type Talk interface {
	io.ReadWriter
	// CloseWrite tells the leader that nothing follows.
	CloseWrite() error
	// Close ends both directions; whoever waits in a Read or Write returns with an error. Process.Close does it too.
	Close() error
}

// Talk returns the way to a piped leader; nil for any other.
func (p *Process) Talk() Talk {
	if p.talk.in == nil {
		return nil
	}
	return p.talk
}

// talk holds the ends of two pipes; ours do not block, so that closing them ends who waits.
type talk struct {
	in, out           *os.File // what we write, what we read
	theirIn, theirOut *os.File
}

func newTalk() (t talk, err error) {
	if t.theirIn, t.in, err = pipe(false, true); err != nil {
		return talk{}, err
	}
	if t.out, t.theirOut, err = pipe(true, false); err != nil {
		return talk{}, errors.Join(err, t.theirIn.Close(), t.in.Close())
	}
	return t, nil
}

func (t talk) closeTheirs() {
	_ = t.theirIn.Close() // copies; the supervisor has its own
	_ = t.theirOut.Close()
}

// Read reads what the leader wrote.
func (t talk) Read(b []byte) (int, error) { return t.out.Read(b) }

// Write writes what the leader reads.
func (t talk) Write(b []byte) (int, error) { return t.in.Write(b) }

// CloseWrite closes what the leader reads.
func (t talk) CloseWrite() error { return t.in.Close() }

// Close closes both; the zero talk has nothing to close.
func (t talk) Close() error {
	if t.in == nil {
		return nil
	}
	err := t.out.Close()
	if werr := t.in.Close(); werr != nil && !errors.Is(werr, os.ErrClosed) {
		err = errors.Join(err, werr)
	}
	if errors.Is(err, os.ErrClosed) {
		return nil
	}
	return err
}
