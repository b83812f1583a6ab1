package media

import (
	"errors"
	"fmt"
	"syscall"
)

// ErrorKind is the stable identifier of a failure; programs decide on it.
type ErrorKind string

// The kinds of failure.
const (
	// Full: the disk has no room. It may have later.
	Full ErrorKind = "disk_full"
	// TooLarge: the file is over the store's bound.
	TooLarge ErrorKind = "media_too_large"
	// Gone: the file was deleted, or never was here.
	Gone ErrorKind = "media_gone"
	// Damaged: the bytes on the disk are not those that were kept.
	Damaged ErrorKind = "media_damaged"
	// Unreadable: its encryption cannot be undone, or was tampered with.
	Unreadable ErrorKind = "media_unreadable"
	// Unwritable: the disk or its permissions failed.
	Unwritable ErrorKind = "media_failed"
)

// Error is a failure of a Store. Its text says what to do.
type Error struct {
	Kind ErrorKind
	// File is the name of the file as shown, or its digest.
	File string
	Err  error // nil where there is nothing more to say
}

// advice tells a person what to do next.
var advice = map[ErrorKind]string{
	Full:       "no space is left on the disk that holds the storage: free some and try again",
	TooLarge:   "the file is larger than is kept: send a smaller one",
	Gone:       "the file is not kept any more: send it again",
	Damaged:    "the file on the disk is damaged: send it again",
	Unreadable: "the file cannot be decrypted: send it again",
	Unwritable: "the file cannot be kept or read: check the storage's disk and permissions",
}

func (e *Error) Error() string {
	s := fmt.Sprintf("media %q: %s", e.File, advice[e.Kind])
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Unwrap returns the system's error.
func (e *Error) Unwrap() error { return e.Err }

// KindOf is the kind of err; empty when it is no *Error.
func KindOf(err error) ErrorKind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return ""
}

// failed judges an error of the file system.
func failed(file string, err error) error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	kind := Unwritable
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		kind = Full
	case errors.Is(err, syscall.EFBIG):
		kind = TooLarge
	}
	return &Error{Kind: kind, File: file, Err: err}
}
