package store

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A lock that is let go a moment later was only in another's fork, and is taken;
// one that is held is refused with who holds it.
func TestLockFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "lock")
	held, err := lockFile(path)
	if err != nil {
		t.Fatal(err)
	}
	// A second descriptor of the same opening is what a fork leaves behind.
	left, err := unix.FcntlInt(held.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := held.Close(); err != nil {
		t.Fatal(err)
	}
	var locked *LockedError
	if _, err := lockFile(path); !errors.As(err, &locked) || locked.PID != os.Getpid() {
		t.Errorf("a held lock: %v", err)
	}
	timer := time.AfterFunc(lockPatience/10, func() { _ = unix.Close(left) })
	defer timer.Stop()
	taken, err := lockFile(path)
	if err != nil {
		t.Fatalf("a lock that was let go: %v", err)
	}
	_ = taken.Close()
}
