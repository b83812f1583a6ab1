package proc

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"syscall"
)

// Ident names one process for as long as the machine is up.
type Ident struct {
	// Pid is the number in the PID namespace of whoever reads it. 0: nobody.
	Pid int `json:"pid"`
	// Start is the start time in clock ticks since boot, as in field 22 of /proc/PID/stat.
	Start uint64 `json:"start"`
}

// Stat is the part of /proc/PID/stat this module decides by.
type Stat struct {
	Ident
	// State is the kernel's letter: R, S, D, T, Z, X and others.
	State   byte
	Parent  int
	Group   int
	Session int
	Threads int
}

// Dead reports whether the process only waits to be reaped.
func (s Stat) Dead() bool { return s.State == 'Z' || s.State == 'X' || s.State == 'x' }

// ErrGone says that the process named by an Ident does not exist any more, or is a zombie.
var ErrGone = errors.New("process is gone")

// errStat marks a line that is not the kernel's.
var errStat = errors.New("not a process status line")

// Read returns the status of a process number; ErrGone when there is none.
func Read(pid int) (Stat, error) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH) {
			return Stat{}, ErrGone
		}
		return Stat{}, fmt.Errorf("read status of process %d: %w", pid, err)
	}
	s, err := parseStat(b)
	if err != nil {
		return Stat{}, fmt.Errorf("process %d: %w", pid, err)
	}
	return s, nil
}

// Self is the identity of the calling process.
func Self() (Ident, error) {
	s, err := Read(os.Getpid())
	return s.Ident, err
}

// Alive reports whether exactly this process still runs. An error means that it cannot be told, which must not be taken for either answer.
func Alive(id Ident) (bool, error) {
	s, err := Read(id.Pid)
	switch {
	case errors.Is(err, ErrGone):
		// A /proc mounted with hidepid hides other users' processes; the kernel still admits that they exist.
		if id.Pid > 0 && errors.Is(syscall.Kill(id.Pid, 0), syscall.EPERM) {
			return false, fmt.Errorf("process %d exists but /proc hides it", id.Pid)
		}
		return false, nil
	case err != nil:
		return false, err
	}
	return s.Start == id.Start && !s.Dead(), nil
}

// parseStat reads a status line. The command's name may hold spaces and brackets, so the fields begin after the last closing one.
func parseStat(b []byte) (Stat, error) {
	end := bytes.LastIndexByte(b, ')')
	begin := bytes.IndexByte(b, ' ')
	if end < 0 || begin < 1 || begin > end {
		return Stat{}, errStat
	}
	f := bytes.Fields(b[end+1:])
	if len(f) < 20 || len(f[0]) != 1 {
		return Stat{}, errStat
	}
	s := Stat{State: f[0][0]}
	for _, n := range []struct {
		to   *int
		text []byte
	}{{&s.Pid, b[:begin]}, {&s.Parent, f[1]}, {&s.Group, f[2]}, {&s.Session, f[3]}, {&s.Threads, f[17]}} {
		v, err := strconv.Atoi(string(n.text))
		if err != nil {
			return Stat{}, fmt.Errorf("%w: %w", errStat, err)
		}
		*n.to = v
	}
	start, err := strconv.ParseUint(string(f[19]), 10, 64)
	if err != nil {
		return Stat{}, fmt.Errorf("%w: %w", errStat, err)
	}
	s.Start = start
	return s, nil
}
