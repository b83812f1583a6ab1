package contain

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"mindroom/internal/supervise/proc"
)

// Members lists the living processes in the Group and in whatever the tree made below it. A folder that is gone holds nobody. An error means that it
// cannot be told.
func (g Group) Members() ([]proc.Stat, error) {
	var found []proc.Stat
	seen := map[int]bool{}
	for _, dir := range g.dirs() {
		if err := valid(dir); err != nil {
			return nil, err
		}
		for _, d := range foldersOf(dir) {
			pids, err := pidsIn(d)
			if err != nil {
				return nil, err
			}
			for _, pid := range pids {
				if seen[pid] {
					continue
				}
				seen[pid] = true
				s, err := proc.Read(pid)
				if errors.Is(err, proc.ErrGone) {
					continue
				}
				if err != nil {
					return nil, err
				}
				if !s.Dead() {
					found = append(found, s)
				}
			}
		}
	}
	return found, nil
}

// Empty reports whether nobody lives in the Group.
func (g Group) Empty() (bool, error) {
	if g.V2 != "" && g.Pids == "" { // the kernel keeps this answer ready, and for all below
		if err := valid(g.V2); err != nil {
			return false, err
		}
		b, err := os.ReadFile(filepath.Join(g.V2, "cgroup.events"))
		if errors.Is(err, fs.ErrNotExist) {
			return true, nil
		}
		if err != nil {
			return false, fmt.Errorf("read state of cgroup: %w", err)
		}
		return bytes.Contains(b, []byte("populated 0")), nil
	}
	m, err := g.Members()
	return len(m) == 0, err
}

func pidsIn(dir string) ([]int, error) {
	b, err := os.ReadFile(filepath.Join(dir, "cgroup.procs"))
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) || !isDir(dir) {
			return nil, nil
		}
		return nil, fmt.Errorf("list processes of cgroup: %w", err)
	}
	var pids []int
	for _, f := range bytes.Fields(b) {
		n, err := strconv.Atoi(string(f))
		if err != nil {
			return nil, fmt.Errorf("list processes of cgroup: %w", err)
		}
		if n > 0 { // 0 is a process of a namespace we cannot see into
			pids = append(pids, n)
		}
	}
	return pids, nil
}

func isDir(dir string) bool {
	fi, err := os.Stat(dir)
	return err == nil && fi.IsDir()
}
