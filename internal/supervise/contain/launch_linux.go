package contain

import (
	"errors"
	"fmt"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// ErrStranded says that the launching thread could not leave the freezer again. The Group must then not be frozen, because that would freeze the caller.
var ErrStranded = errors.New("the launching thread is still inside the group")

// Launch calls fork so that the process it makes is born inside the Group. For v2 it fills attr; for v1, which has no such call, the calling thread itself
// steps in, forks and steps out. The caller must have locked its goroutine to its thread, which also keeps the Go runtime from making a thread of its own
// out of it meanwhile.
func (g Group) Launch(attr *syscall.SysProcAttr, fork func() error) error {
	if g.V2 != "" {
		fd, err := unix.Open(g.V2, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		if err != nil {
			return fmt.Errorf("open %s: %w", g.V2, err)
		}
		defer unix.Close(fd)
		attr.UseCgroupFD, attr.CgroupFD = true, fd
	}
	for i, dir := range g.v1() {
		if err := put(dir, "tasks", "0"); err != nil {
			return errors.Join(fmt.Errorf("enter %s: %w", dir, err), leave(g.v1()[:i]))
		}
	}
	err := fork()
	if out := leave(g.v1()); out != nil {
		return errors.Join(err, ErrStranded, out)
	}
	return err
}

func (g Group) v1() []string { return Group{Freezer: g.Freezer, Pids: g.Pids}.dirs() }

func leave(dirs []string) error {
	var errs []error
	for _, dir := range dirs {
		errs = append(errs, put(filepath.Dir(dir), "tasks", "0"))
	}
	return errors.Join(errs...)
}
