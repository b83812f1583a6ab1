package main

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// cpuTime is what this process used so far, its children not counted.
func cpuTime() (time.Duration, error) {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0, fmt.Errorf("CPU time of this process: %w", err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), nil
}

// anonymous is the anonymous resident memory of a process in MiB: what no file
// backs and nothing but the process gives back.
func anonymous(pid int) (float64, error) {
	if runtime.GOOS != "linux" {
		return 0, fmt.Errorf("anonymous memory is read from /proc, which %s does not have", runtime.GOOS)
	}
	f, err := os.Open(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		rest, ok := strings.CutPrefix(lines.Text(), "RssAnon:")
		if !ok {
			continue
		}
		kib, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(rest, "kB")), 64)
		if err != nil {
			return 0, fmt.Errorf("RssAnon of process %d: %w", pid, err)
		}
		return kib / 1024, nil
	}
	return 0, fmt.Errorf("process %d has no RssAnon in its status", pid)
}

// load is how many processes wanted a core in the last minute: above the number
// of cores, others took part of what was measured.
func load() string {
	raw, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	minute, _, _ := strings.Cut(string(raw), " ")
	return minute
}

// settledMemory is this process's anonymous memory once the garbage is gone.
func settledMemory() (float64, error) {
	runtime.GC()
	debug.FreeOSMemory()
	return anonymous(os.Getpid())
}
