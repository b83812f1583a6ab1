package store

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// lockFile takes the lock that only the writing process holds. The file stays:
// deleting it would let two processes hold locks on two files of one name. The
// kernel gives the lock back when the process ends, however it ends.
func lockFile(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, &Error{Kind: ReadOnly, Err: fmt.Errorf("open the lock file: %w", err)}
	}
	if err := flock(f); err != nil {
		defer func() { _ = f.Close() }()
		if errors.Is(err, unix.EWOULDBLOCK) {
			return nil, &LockedError{Path: path, PID: holder(f)}
		}
		return nil, fmt.Errorf("store: lock %s: %w", path, err)
	}
	// The lock holds without the number; only what a second process is told
	// would be poorer, so a failure to write it is no reason to stop.
	if f.Truncate(0) == nil {
		_, _ = f.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	}
	return f, nil
}

// lockPatience is how long a lock that is held is tried again: a process that
// starts programs shares its locks with each of them from fork to exec, so a
// holder that has just let go, or died, may seem to hold on for a moment.
const lockPatience = time.Second

func flock(f *os.File) error {
	for deadline := time.Now().Add(lockPatience); ; {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if !errors.Is(err, unix.EWOULDBLOCK) || time.Now().After(deadline) {
			return err
		}
		time.Sleep(lockPatience / 50)
	}
}

func holder(f *os.File) int {
	buf := make([]byte, 20)
	n, _ := f.ReadAt(buf, 0)
	pid, _ := strconv.Atoi(strings.TrimSpace(string(buf[:n])))
	return pid
}
