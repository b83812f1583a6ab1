package memory

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
)

// Kind says why something was not remembered or recalled.
type Kind string

// The kinds.
const (
	Unusable Kind = "unusable"  // the text cannot be a memory
	Missing  Kind = "missing"   // there is no memory with that id
	Refused  Kind = "refused"   // a link, a folder or a pipe stands where a file should
	Large    Kind = "large"     // a file has, or would have, more than is read
	Changed  Kind = "changed"   // somebody else wrote the file meanwhile
	Full     Kind = "full"      // no space is left
	Broken   Kind = "io_failed" // the file system failed in another way
)

// Error is every error of the package.
type Error struct {
	Kind Kind
	// Text tells a person what happened and what to do; it names files relative
	// to the workspace only.
	Text string
	Err  error // nil when nothing lies beneath
}

// Error is Text.
func (e *Error) Error() string { return e.Text }

// Unwrap is Err.
func (e *Error) Unwrap() error { return e.Err }

func failf(kind Kind, format string, args ...any) error {
	return &Error{Kind: kind, Text: fmt.Sprintf(format, args...)}
}

// failed is what the file system said about name, without its full path.
func failed(name string, err error) error {
	if err == nil {
		return nil
	}
	var known *Error
	if errors.As(err, &known) {
		return err
	}
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return &Error{Kind: Full, Text: name + " was not written: no space is left", Err: err}
	}
	reason := err
	var path *fs.PathError
	if errors.As(err, &path) {
		reason = path.Err
	}
	return &Error{Kind: Broken, Text: fmt.Sprintf("%s cannot be accessed: %v", name, reason), Err: err}
}
