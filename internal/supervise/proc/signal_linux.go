package proc

import (
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// Signal sends sig to exactly this process. It returns ErrGone when the process ended, or when its number now names another one.
func Signal(id Ident, sig unix.Signal) error {
	if id.Pid <= 1 {
		return fmt.Errorf("refuse to signal process %d", id.Pid)
	}
	fd, err := unix.PidfdOpen(id.Pid, 0)
	switch {
	case errors.Is(err, unix.ESRCH):
		return ErrGone
	case err != nil: // a kernel or a filter without pidfds
		return signalByNumber(id, sig)
	}
	defer unix.Close(fd)
	if err := sameProcess(id); err != nil {
		return err
	}
	return signalError(id, unix.PidfdSendSignal(fd, sig, nil, 0))
}

func signalByNumber(id Ident, sig unix.Signal) error {
	if err := sameProcess(id); err != nil {
		return err
	}
	return signalError(id, unix.Kill(id.Pid, sig))
}

func sameProcess(id Ident) error {
	s, err := Read(id.Pid)
	if err != nil {
		return err
	}
	if s.Start != id.Start {
		return ErrGone
	}
	return nil
}

func signalError(id Ident, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, unix.ESRCH):
		return ErrGone
	}
	return fmt.Errorf("signal process %d: %w", id.Pid, err)
}

// AwaitExit waits at most d for the end of exactly this process and reports whether it ended. It needs no parenthood.
func AwaitExit(id Ident, d time.Duration) (bool, error) {
	fd, err := unix.PidfdOpen(id.Pid, 0)
	if err != nil {
		if errors.Is(err, unix.ESRCH) {
			return true, nil
		}
		time.Sleep(d)
		alive, err := Alive(id)
		return !alive, err
	}
	defer unix.Close(fd)
	if alive, err := Alive(id); err != nil || !alive {
		return !alive, err
	}
	n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, int(d.Milliseconds()))
	if err != nil && !errors.Is(err, unix.EINTR) {
		return false, fmt.Errorf("wait for process %d: %w", id.Pid, err)
	}
	return n > 0, nil
}
