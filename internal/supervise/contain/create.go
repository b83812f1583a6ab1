package contain

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// prefix begins the name of every folder made here, for the eye of an operator.
const prefix = "mindroom-"

// Create makes the best Group it may below the caller's own cgroups, at most at the level max. It cannot fail: whatever is refused only lowers the level,
// and why is told in the notes. Bounding needs a pids cgroup; bound says whether one is wanted.
func Create(name string, max Level, bound bool) (Group, []string) {
	g := Group{Level: LevelSubreaper}
	h, err := findHomes()
	if err != nil {
		return g, []string{err.Error()}
	}
	var notes []string
	if max.allows(LevelCgroup2) {
		if g.V2, err = makeV2(h.v2, name); err == nil {
			g.Level = LevelCgroup2
		} else {
			notes = append(notes, "cgroup2: "+err.Error())
		}
	}
	if g.V2 == "" && max.allows(LevelFreezer) {
		if g.Freezer, err = makeV1(h.freezer, name, "freezer.state"); err == nil {
			g.Level = LevelFreezer
		} else {
			notes = append(notes, "freezer: "+err.Error())
		}
	}
	if bound && !exists(g.V2, "pids.max") {
		if g.Pids, err = makeV1(h.pids, name, "pids.max"); err != nil {
			notes = append(notes, "pids: "+err.Error())
		}
	}
	return g, notes
}

var errNotMounted = errors.New("not mounted where it can be seen")

func makeV2(home, name string) (string, error) {
	dir, err := makeIn(home, name)
	if err != nil {
		return "", err
	}
	if !exists(dir, "cgroup.kill") {
		return "", errors.Join(errors.New("the kernel has no cgroup.kill"), os.Remove(dir))
	}
	if !writable(dir, "cgroup.procs") || !writable(dir, "cgroup.kill") {
		return "", errors.Join(errors.New("made, but not writable"), os.Remove(dir))
	}
	return dir, nil
}

// makeV1 also needs the home to be writable, because the launching thread has to come back.
func makeV1(home, name, control string) (string, error) {
	if home != "" && !writable(home, "tasks") {
		return "", fs.ErrPermission
	}
	dir, err := makeIn(home, name)
	if err != nil {
		return "", err
	}
	if !writable(dir, control) || !writable(dir, "tasks") {
		return "", errors.Join(fmt.Errorf("made, but %s is not writable", control), os.Remove(dir))
	}
	return dir, nil
}

func makeIn(home, name string) (string, error) {
	if home == "" {
		return "", errNotMounted
	}
	dir := filepath.Join(home, prefix+name)
	if err := os.Mkdir(dir, 0o755); err != nil {
		return "", err
	}
	return dir, nil
}

func exists(dir, file string) bool {
	if dir == "" {
		return false
	}
	_, err := os.Stat(filepath.Join(dir, file))
	return err == nil
}

func writable(dir, file string) bool {
	f, err := os.OpenFile(filepath.Join(dir, file), os.O_WRONLY, 0)
	if err != nil {
		return false
	}
	return f.Close() == nil
}

// Bound sets the greatest number of tasks and says whether the Group could. It is set after the launch, because the launching thread passes through the
// group and must not count.
func (g Group) Bound(tasks int) error {
	dir := g.Pids
	if dir == "" {
		dir = g.V2
	}
	if !exists(dir, "pids.max") {
		return errNotMounted
	}
	return put(dir, "pids.max", strconv.Itoa(tasks))
}

func put(dir, file, text string) error {
	f, err := os.OpenFile(filepath.Join(dir, file), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// Remove removes the Group's folders and whatever empty folders the tree made inside. A folder that still holds a process stays, and is named in the error;
// one that is gone already is no error.
func (g Group) Remove() error {
	var errs []error
	for _, dir := range g.dirs() {
		below := foldersOf(dir)
		for i := len(below) - 1; i >= 0; i-- {
			if err := syscall.Rmdir(below[i]); err != nil && !errors.Is(err, fs.ErrNotExist) {
				errs = append(errs, fmt.Errorf("remove %s: %w", below[i], err))
			}
		}
	}
	return errors.Join(errs...)
}

// foldersOf lists a folder and all below it, parents before children.
func foldersOf(dir string) []string {
	var all []string
	// Folders may vanish under the walk; what is gone needs no visit.
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			all = append(all, path)
		}
		return nil
	})
	return all
}

// valid refuses a recorded folder that was not made here, before anything is killed or removed because of it.
func valid(dir string) error {
	if !filepath.IsAbs(dir) || filepath.Clean(dir) != dir || !strings.HasPrefix(filepath.Base(dir), prefix) {
		return fmt.Errorf("%q is not a folder of a process tree", dir)
	}
	return nil
}
