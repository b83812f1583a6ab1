package proc

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
)

// Descendants lists the living processes below root, root itself not among them. It is a snapshot: a process that is born or moves while it is
// taken may be missing, so whoever needs certainty repeats it, or asks the kernel whether it has children at all.
func Descendants(root int) ([]Stat, error) {
	kids, err := childrenOf(root)
	if err != nil {
		return scanBelow(root)
	}
	var found []Stat
	seen := map[int]bool{root: true}
	for queue := kids; len(queue) > 0; queue = queue[1:] {
		pid := queue[0]
		if seen[pid] {
			continue
		}
		seen[pid] = true
		s, err := Read(pid)
		if err != nil {
			continue // ended meanwhile; its children have moved up and are found on the next call
		}
		if !s.Dead() {
			found = append(found, s)
		}
		more, err := childrenOf(pid)
		if err != nil {
			continue
		}
		queue = append(queue, more...)
	}
	return found, nil
}

// childrenOf reads the kernel's own lists, one a thread, since a child belongs to the thread that made it.
func childrenOf(pid int) ([]int, error) {
	dir := "/proc/" + strconv.Itoa(pid) + "/task/"
	tasks, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("list threads of %d: %w", pid, err)
	}
	var kids []int
	read := false
	for _, t := range tasks {
		b, err := os.ReadFile(dir + t.Name() + "/children")
		if err != nil {
			continue
		}
		read = true
		for _, f := range bytes.Fields(b) {
			if n, err := strconv.Atoi(string(f)); err == nil {
				kids = append(kids, n)
			}
		}
	}
	if !read {
		return nil, fmt.Errorf("children of %d cannot be read", pid)
	}
	return kids, nil
}

// scanBelow is Descendants for a kernel without the children lists: every process there is, by its parent.
func scanBelow(root int) ([]Stat, error) {
	all, err := All()
	if err != nil {
		return nil, err
	}
	byParent := map[int][]Stat{}
	for _, s := range all {
		byParent[s.Parent] = append(byParent[s.Parent], s)
	}
	var found []Stat
	seen := map[int]bool{root: true}
	for queue := []int{root}; len(queue) > 0; queue = queue[1:] {
		for _, s := range byParent[queue[0]] {
			if seen[s.Pid] {
				continue
			}
			seen[s.Pid] = true
			queue = append(queue, s.Pid)
			if !s.Dead() {
				found = append(found, s)
			}
		}
	}
	return found, nil
}

// All lists every process that /proc shows.
func All() ([]Stat, error) {
	d, err := os.Open("/proc")
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	defer d.Close()
	names, err := d.Readdirnames(-1)
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	var all []Stat
	for _, n := range names {
		pid, err := strconv.Atoi(n)
		if err != nil {
			continue
		}
		s, err := Read(pid)
		if errors.Is(err, ErrGone) {
			continue
		}
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}
