package store

import (
	"errors"
	"fmt"

	"modernc.org/sqlite"
)

// Kind says what a program can do about a failed statement. It is decided by
// the database's result code, never by its text.
type Kind string

// The kinds. Other is everything a program has no answer for.
const (
	Full       Kind = "full"       // the disk or the size limit is reached
	ReadOnly   Kind = "read_only"  // the file cannot be written
	Corrupt    Kind = "corrupt"    // the file is damaged or no database
	Busy       Kind = "busy"       // another process held the file for longer than BusyTimeout
	IO         Kind = "io"         // the disk failed
	Unique     Kind = "unique"     // a primary key or unique index already has the value
	Constraint Kind = "constraint" // another constraint refused the row
	Closed     Kind = "closed"     // the store was closed
	Other      Kind = "other"
)

// Error is a failure of the database. Use errors.Is with the sentinels below.
type Error struct {
	Kind Kind
	// Code is SQLite's extended result code; 0 when the store itself refused.
	Code int
	Err  error
}

// Sentinels for errors.Is, one a kind.
var (
	ErrFull       = &Error{Kind: Full}
	ErrReadOnly   = &Error{Kind: ReadOnly}
	ErrCorrupt    = &Error{Kind: Corrupt}
	ErrBusy       = &Error{Kind: Busy}
	ErrIO         = &Error{Kind: IO}
	ErrUnique     = &Error{Kind: Unique}
	ErrConstraint = &Error{Kind: Constraint}
	ErrClosed     = &Error{Kind: Closed}
)

// ErrNoRows is returned by Row.Scan when the query found nothing.
var ErrNoRows = errors.New("store: no such row")

// advice tells a person what to do next.
var advice = map[Kind]string{
	Full:     "the disk is full: free some space and try again",
	ReadOnly: "the database cannot be written: check the permissions of its folder and file",
	Corrupt:  "the database is damaged: stop, keep a copy of the file, and restore a backup",
	Busy:     "another program holds the database: close it and try again",
	IO:       "the disk failed: check the system's log",
	Closed:   "the database is closed because the program is stopping",
}

func (e *Error) Error() string {
	text := "store: " + string(e.Kind)
	if a, ok := advice[e.Kind]; ok {
		text = "store: " + a
	}
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

// Unwrap returns the driver's error.
func (e *Error) Unwrap() error { return e.Err }

// Is compares kinds, so that errors.Is(err, ErrFull) holds for every full disk.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Kind == e.Kind
}

// SQLite's primary result codes that have a kind, and two extended ones.
const (
	codeBusy, codeLocked, codeReadOnly, codeInterrupt, codeIOErr, codeCorrupt = 5, 6, 8, 9, 10, 11
	codeFull, codeCantOpen, codeConstraint, codeNotADB                        = 13, 14, 19, 26
	extUnique, extPrimaryKey                                                  = 2067, 1555
)

func kindOf(code int) Kind {
	switch code {
	case extUnique, extPrimaryKey:
		return Unique
	}
	switch code & 0xff {
	case codeBusy, codeLocked:
		return Busy
	case codeReadOnly, codeCantOpen:
		return ReadOnly
	case codeIOErr:
		return IO
	case codeCorrupt, codeNotADB:
		return Corrupt
	case codeFull:
		return Full
	case codeConstraint:
		return Constraint
	}
	return Other
}

// classify gives a driver's error its kind; other errors pass unchanged.
func classify(err error) error {
	var e *sqlite.Error
	if errors.As(err, &e) {
		return &Error{Kind: kindOf(e.Code()), Code: e.Code(), Err: err}
	}
	return err
}

// LockedError says that another process has the store open for writing.
type LockedError struct {
	Path string // of the lock file
	PID  int    // of the holder; 0 when the file does not say
}

func (e *LockedError) Error() string {
	holder := "another process"
	if e.PID > 0 {
		holder = fmt.Sprintf("process %d", e.PID)
	}
	return fmt.Sprintf("store: %s has the database open (lock %s): stop it first, or use its control socket", holder, e.Path)
}
