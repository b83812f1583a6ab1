package rundir

import (
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// ErrLocked says that somebody else holds the lock: the supervisor lives.
var ErrLocked = errors.New("run folder is locked")

// Lock takes the lock without waiting, making its file when make is set; ErrLocked when it is held. Closing the file, in every process that inherited it,
// lets the lock go.
func (d Dir) Lock(make bool) (*os.File, error) {
	flags := os.O_RDWR
	if make {
		flags |= os.O_CREATE
	}
	f, err := os.OpenFile(d.path(lockName), flags, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open lock: %w", err)
	}
	for {
		err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	if err == nil {
		return f, nil
	}
	if errors.Is(err, unix.EWOULDBLOCK) {
		err = ErrLocked
	}
	return nil, errors.Join(fmt.Errorf("lock %s: %w", d, err), f.Close())
}

// LockedSince is when the folder's lock file was made: before any process of its run.
func (d Dir) LockedSince() (time.Time, error) {
	fi, err := os.Stat(d.path(lockName))
	if err != nil {
		return time.Time{}, err
	}
	return fi.ModTime(), nil
}
