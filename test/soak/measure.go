package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
)

// measure fills in what the operating system and the runtime know of this
// process; the garbage is collected first.
func measure(s *Sample, runs, database string) error {
	runtime.GC()
	debug.FreeOSMemory()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	s.Goroutines = runtime.NumGoroutine()
	s.Heap, s.Runtime = float64(m.HeapAlloc)/(1<<20), float64(m.Sys-m.HeapReleased)/(1<<20)
	var err error
	if s.Descriptors, err = descriptors(); err != nil {
		return err
	}
	if s.Memory, err = anonymous(); err != nil {
		return err
	}
	if s.Processes, s.Zombies, err = descendants(os.Getpid()); err != nil {
		return err
	}
	s.Database, s.WAL = size(database), size(database+"-wal")
	s.Files, s.Capabilities, err = files(runs)
	return err
}

func descriptors() (int, error) {
	entries, err := os.ReadDir("/proc/self/fd")
	return len(entries), err
}

// anonymous is the resident memory of this process that no file backs, in MiB.
func anonymous() (float64, error) {
	raw, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	for l := range strings.Lines(string(raw)) {
		if rest, ok := strings.CutPrefix(l, "RssAnon:"); ok {
			kib, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 64)
			return kib / 1024, err
		}
	}
	return 0, fmt.Errorf("this system does not tell RssAnon")
}

// size is a file's, in KiB; 0 for none.
func size(path string) float64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return float64(info.Size()) / 1024
}

// files counts what lies in the run folders. What goes away meanwhile is no error.
func files(runs string) (all, capabilities int, err error) {
	err = filepath.WalkDir(runs, func(_ string, d fs.DirEntry, err error) error {
		if os.IsNotExist(err) {
			return nil
		}
		if err != nil || d.IsDir() {
			return err
		}
		all++
		if d.Name() == "capability" {
			capabilities++
		}
		return nil
	})
	return all, capabilities, err
}

// process is one line of the process table.
type process struct {
	pid, parent int
	state       string
}

func processes() ([]process, error) {
	dirs, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return nil, err
	}
	var all []process
	for _, dir := range dirs {
		raw, err := os.ReadFile(filepath.Join(dir, "stat"))
		if err != nil {
			continue // it ended meanwhile
		}
		// The name in parentheses may hold anything, more parentheses included.
		fields := strings.Fields(string(raw[bytes.LastIndexByte(raw, ')')+1:]))
		if len(fields) < 2 {
			continue
		}
		pid, _ := strconv.Atoi(filepath.Base(dir))
		parent, _ := strconv.Atoi(fields[1])
		all = append(all, process{pid, parent, fields[0]})
	}
	return all, nil
}

// descendants counts what stems from a process and how much of it is a zombie.
func descendants(pid int) (count, zombies int, err error) {
	all, err := processes()
	if err != nil {
		return 0, 0, err
	}
	children := map[int][]process{}
	for _, p := range all {
		children[p.parent] = append(children[p.parent], p)
	}
	for queue := children[pid]; len(queue) > 0; queue = queue[1:] {
		p := queue[0]
		count++
		if p.state == "Z" {
			zombies++
		}
		queue = append(queue, children[p.pid]...)
	}
	return count, zombies, nil
}

// leftovers are the processes whose environment names the folder: scripts and
// what they started. Zombies of other parents are not ours to find.
func leftovers(folder string) ([]int, error) {
	all, err := processes()
	if err != nil {
		return nil, err
	}
	var found []int
	for _, p := range all {
		environ, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", p.pid))
		if err == nil && p.pid != os.Getpid() && bytes.Contains(environ, []byte(folder)) {
			found = append(found, p.pid)
		}
	}
	return found, nil
}
