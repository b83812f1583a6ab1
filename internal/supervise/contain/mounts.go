package contain

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// homes are the folders of the cgroups the caller itself is in; groups are made below them. A controller that is not mounted, or whose place cannot be seen
// from here, is absent.
type homes struct{ v2, freezer, pids string }

func findHomes() (homes, error) {
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return homes{}, fmt.Errorf("read mounts: %w", err)
	}
	own, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return homes{}, fmt.Errorf("read own cgroups: %w", err)
	}
	return parseHomes(mounts, own), nil
}

// parseHomes joins the mount table with the caller's membership lines ("hierarchy:controllers:path").
func parseHomes(mounts, own []byte) homes {
	paths := map[string]string{}
	for _, line := range bytes.Split(own, []byte{'\n'}) {
		f := strings.SplitN(string(line), ":", 3)
		if len(f) != 3 {
			continue
		}
		if f[0] == "0" && f[1] == "" {
			paths["cgroup2"] = f[2]
			continue
		}
		for _, c := range strings.Split(f[1], ",") {
			paths[c] = f[2]
		}
	}
	var h homes
	for _, line := range bytes.Split(mounts, []byte{'\n'}) {
		m, ok := parseMount(string(line))
		if !ok {
			continue
		}
		if m.fstype == "cgroup2" {
			h.v2 = first(h.v2, m.locate(paths["cgroup2"]))
			continue
		}
		for _, opt := range strings.Split(m.super, ",") {
			switch opt {
			case "freezer":
				h.freezer = first(h.freezer, m.locate(paths["freezer"]))
			case "pids":
				h.pids = first(h.pids, m.locate(paths["pids"]))
			}
		}
	}
	return h
}

func first(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

type mount struct{ root, point, fstype, super string }

// parseMount reads one line of mountinfo and keeps it when it is a cgroup mount.
func parseMount(line string) (mount, bool) {
	left, right, ok := strings.Cut(line, " - ")
	l, r := strings.Fields(left), strings.Fields(right)
	if !ok || len(l) < 6 || len(r) < 3 || (r[0] != "cgroup" && r[0] != "cgroup2") {
		return mount{}, false
	}
	if strings.ContainsRune(l[4], '\\') { // octal escapes: a folder name with blanks, which no system uses for cgroups
		return mount{}, false
	}
	return mount{root: l[3], point: l[4], fstype: r[0], super: r[2]}, true
}

// locate turns a membership path into a folder below the mount; empty when the mount does not show it.
func (m mount) locate(path string) string {
	if path == "" || strings.Contains(path, "..") {
		return ""
	}
	rel := path
	if m.root != "/" {
		if path != m.root && !strings.HasPrefix(path, m.root+"/") {
			return ""
		}
		rel = strings.TrimPrefix(path, m.root)
	}
	return filepath.Join(m.point, rel)
}
