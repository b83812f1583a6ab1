package supervise

import (
	"errors"
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

// pipe makes a pipe. The ends that are ours do not block, so that closing them ends who waits; the leader's must.
func pipe(oursRead, oursWrite bool) (read, write *os.File, err error) {
	var p [2]int
	if err := unix.Pipe2(p[:], unix.O_CLOEXEC); err != nil {
		return nil, nil, fmt.Errorf("make pipe: %w", err)
	}
	for i, ours := range []bool{oursRead, oursWrite} {
		if ours {
			err = errors.Join(err, unix.SetNonblock(p[i], true))
		}
	}
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("make pipe: %w", err), unix.Close(p[0]), unix.Close(p[1]))
	}
	return os.NewFile(uintptr(p[0]), "pipe"), os.NewFile(uintptr(p[1]), "pipe"), nil
}
