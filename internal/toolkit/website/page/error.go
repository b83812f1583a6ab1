package page

import "fmt"

// Error says why a page was not read, in a sentence for a person. It holds no
// query and no credentials of the URL.
type Error struct {
	Message string
	// Retryable is true when the same page may be readable later: reading has no
	// effect, so trying again is always safe, but only sometimes of use.
	Retryable bool
}

// Error is the sentence.
func (e *Error) Error() string { return e.Message }

func failf(format string, args ...any) *Error { return &Error{Message: fmt.Sprintf(format, args...)} }

func laterf(format string, args ...any) *Error {
	return &Error{Message: fmt.Sprintf(format, args...), Retryable: true}
}
