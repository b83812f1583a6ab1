package lifecycle

import (
	"errors"
	"fmt"
	"runtime/debug"
)

// PanicError is a panic turned into an error. Its text has the value but not
// the stack, which may be long: log Stack where the error ends up.
type PanicError struct {
	Value any
	Stack []byte
}

func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v", e.Value) }

// Unwrap returns the value when it is an error, so that errors.Is still sees
// what was thrown.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// errGoexit stands for a function that left by runtime.Goexit, as a failed
// testing assertion in the wrong goroutine does.
var errGoexit = errors.New("the goroutine left without returning (runtime.Goexit)")

// Call runs fn and returns its error; a panic in fn becomes a *PanicError.
func Call(fn func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &PanicError{Value: v, Stack: debug.Stack()}
		}
	}()
	return fn()
}
