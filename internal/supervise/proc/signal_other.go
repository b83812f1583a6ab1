//go:build !linux

package proc

import (
	"errors"
	"syscall"
	"time"
)

// errLinux: identities are read from Linux' /proc; elsewhere nothing is signalled rather than the wrong process.
var errLinux = errors.New("processes are identified only on Linux")

// Signal always fails here.
func Signal(Ident, syscall.Signal) error { return errLinux }

// AwaitExit always fails here.
func AwaitExit(Ident, time.Duration) (bool, error) { return false, errLinux }
