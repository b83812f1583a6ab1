package supervise

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// socketPair makes the conversation's two ends. Ours does not block, so that writes have deadlines.
func socketPair() (ours, theirs *os.File, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("make control socket: %w", err)
	}
	theirs = os.NewFile(uintptr(fds[1]), "control")
	if err := unix.SetNonblock(fds[0], true); err != nil {
		return nil, nil, fmt.Errorf("make control socket: %w", err)
	}
	return os.NewFile(uintptr(fds[0]), "control"), theirs, nil
}

// memoryFile is a file without a name, for the output of a tree that keeps nothing on disk.
func memoryFile(name string) (*os.File, error) {
	fd, err := unix.MemfdCreate(name, unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("make %s: %w", name, err)
	}
	return os.NewFile(uintptr(fd), name), nil
}
