package contain

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"mindroom/internal/supervise/proc"
)

// freezeWait bounds the wait for a v1 freezer to have stopped everybody. Processes in an uninterruptible wait hold it up; those it did stop are killed
// all the same, and the caller repeats.
const freezeWait = 50 * time.Millisecond

// Kill sends SIGKILL to everybody in the Group. The caller repeats it until Empty: the kernel needs a moment, and only cgroup.kill is one step. The caller
// itself is never hit, even if somebody moved it inside.
func (g Group) Kill() error {
	var errs []error
	for _, dir := range g.dirs() {
		if err := valid(dir); err != nil {
			return err
		}
	}
	if g.V2 != "" {
		err := put(g.V2, "cgroup.kill", "1")
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	if g.Freezer != "" {
		errs = append(errs, g.killFrozen())
	}
	if g.Pids != "" {
		errs = append(errs, g.killMembers())
	}
	return errors.Join(errs...)
}

// killFrozen thaws whatever happens: a frozen process takes its SIGKILL only when it runs again.
func (g Group) killFrozen() error {
	m, err := g.Members()
	if err != nil || len(m) == 0 {
		return err
	}
	var errs []error
	for _, d := range foldersOf(g.Freezer) {
		errs = append(errs, ignoreGone(put(d, "freezer.state", "FROZEN")))
	}
	for end := time.Now().Add(freezeWait); !frozen(g.Freezer) && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
	errs = append(errs, g.killMembers())
	below := foldersOf(g.Freezer)
	for i := len(below) - 1; i >= 0; i-- {
		errs = append(errs, ignoreGone(put(below[i], "freezer.state", "THAWED")))
	}
	return errors.Join(errs...)
}

func (g Group) killMembers() error {
	m, err := g.Members()
	if err != nil {
		return err
	}
	var errs []error
	for _, s := range m {
		if s.Pid == os.Getpid() {
			continue
		}
		if err := proc.Signal(s.Ident, syscall.SIGKILL); err != nil && !errors.Is(err, proc.ErrGone) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

func frozen(dir string) bool {
	b, err := os.ReadFile(filepath.Join(dir, "freezer.state"))
	return err != nil || strings.TrimSpace(string(b)) == "FROZEN"
}

func ignoreGone(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENODEV) {
		return nil
	}
	return err
}
