package proc

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Marked lists the living processes whose environment, as it was at their last exec, holds exactly this "NAME=value". Processes whose environment we may
// not read are not ours and are passed over.
func Marked(assignment string) ([]Stat, error) {
	all, err := All()
	if err != nil {
		return nil, err
	}
	var found []Stat
	for _, s := range all {
		if s.Dead() {
			continue
		}
		b, err := os.ReadFile("/proc/" + strconv.Itoa(s.Pid) + "/environ")
		if err != nil {
			continue
		}
		for _, e := range bytes.Split(b, []byte{0}) {
			if string(e) == assignment {
				found = append(found, s)
				break
			}
		}
	}
	return found, nil
}

// TasksOf counts the threads of every process that belongs to a user: what RLIMIT_NPROC is compared with.
func TasksOf(uid int) (int, error) {
	all, err := All()
	if err != nil {
		return 0, err
	}
	n := 0
	for _, s := range all {
		fi, err := os.Stat("/proc/" + strconv.Itoa(s.Pid))
		if err != nil {
			continue
		}
		if st, ok := fi.Sys().(*syscall.Stat_t); ok && int(st.Uid) == uid {
			n += s.Threads
		}
	}
	return n, nil
}

// BootID names this start of the machine; it differs after every boot.
func BootID() (string, error) {
	b, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return "", fmt.Errorf("read boot id: %w", err)
	}
	return strings.TrimSpace(string(b)), nil
}

// BootTime is when the machine was started, to the second, by its present idea of the time.
func BootTime() (time.Time, error) {
	b, err := os.ReadFile("/proc/stat")
	if err != nil {
		return time.Time{}, fmt.Errorf("read boot time: %w", err)
	}
	_, rest, _ := bytes.Cut(b, []byte("\nbtime "))
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	sec, err := strconv.ParseInt(string(line), 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("read boot time: %w", err)
	}
	return time.Unix(sec, 0), nil
}

// Namespace names the PID namespace of the caller; process numbers mean nothing outside it.
func Namespace() (string, error) {
	s, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		return "", fmt.Errorf("read pid namespace: %w", err)
	}
	return s, nil
}
