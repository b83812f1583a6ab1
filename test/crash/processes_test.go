package crash

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// process is a process that has something of a row's folder.
type process struct {
	pid int
	// supervisor is true for mindroom-supervise, script for what a run started.
	supervisor, script bool
	words              string
}

// within lists the processes that have to do with a folder: by their
// environment, which names it, by their working directory, or by a file that
// they hold open. Those of except are left out.
func within(folder string, except ...int) []process {
	entries, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		panic(err) // a literal pattern
	}
	var found []process
	for _, dir := range entries {
		pid, err := strconv.Atoi(filepath.Base(dir))
		if err != nil || pid == os.Getpid() || slices.Contains(except, pid) || !touches(dir, folder) {
			continue
		}
		environ, _ := os.ReadFile(filepath.Join(dir, "environ"))
		exe, _ := os.Readlink(filepath.Join(dir, "exe"))
		cmdline, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
		found = append(found, process{
			pid: pid, script: bytes.Contains(environ, []byte("MINDROOM_SCRIPT_RUN_ID=")), supervisor: strings.HasPrefix(filepath.Base(exe), "mindroom-supervise"),
			words: strconv.Itoa(pid) + " " + string(bytes.ReplaceAll(cmdline, []byte{0}, []byte{' '})),
		})
	}
	return found
}

// touches looks at one process; what has ended meanwhile touches nothing.
func touches(dir, folder string) bool {
	if environ, err := os.ReadFile(filepath.Join(dir, "environ")); err == nil && bytes.Contains(environ, []byte(folder)) {
		return true
	}
	links, _ := filepath.Glob(filepath.Join(dir, "fd", "*"))
	for _, link := range append(links, filepath.Join(dir, "cwd")) {
		if to, err := os.Readlink(link); err == nil && strings.HasPrefix(to, folder) {
			return true
		}
	}
	return false
}
