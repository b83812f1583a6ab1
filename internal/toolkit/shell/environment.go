package shell

import (
	"path/filepath"
	"slices"
	"strings"

	"mindroom/internal/supervise"
)

// passed are the variables of this process that a command sees besides those
// every child does. Everything else stays out: the environment of the primary
// holds provider keys and the paths of its control state.
var passed = []string{"TERM", "COLORTERM", "SHELL", "USER", "LOGNAME"}

// environment is what a command in workspace sees of base, with a home inside
// the workspace, with first before every other folder of the search path, and with
// extra, which wins.
func environment(base []string, workspace, first string, extra []string) []string {
	vars := map[string]string{
		"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "TERM": "dumb",
	}
	for _, e := range supervise.PassedOn(base, passed...) {
		name, value, _ := strings.Cut(e, "=")
		vars[name] = value
	}
	vars["HOME"] = workspace
	vars["MINDROOM_AGENT_WORKSPACE"] = workspace
	vars["XDG_CONFIG_HOME"] = filepath.Join(workspace, ".config")
	vars["XDG_CACHE_HOME"] = filepath.Join(workspace, ".cache")
	vars["XDG_DATA_HOME"] = filepath.Join(workspace, ".local", "share")
	vars["XDG_STATE_HOME"] = filepath.Join(workspace, ".local", "state")
	if first != "" {
		vars["PATH"] = first + string(filepath.ListSeparator) + vars["PATH"]
	}
	for _, e := range extra {
		if name, value, ok := strings.Cut(e, "="); ok {
			vars[name] = value
		}
	}
	env := make([]string, 0, len(vars))
	for name, value := range vars {
		env = append(env, name+"="+value)
	}
	slices.Sort(env)
	return env
}

// search finds the program of an argument list as a shell would: by the PATH
// of env when the name has no slash, else from dir.
func search(name, dir string, env []string, exists func(string) bool) (string, bool) {
	if strings.Contains(name, "/") {
		if !filepath.IsAbs(name) {
			name = filepath.Join(dir, name)
		}
		return name, exists(name)
	}
	for _, e := range env {
		path, ok := strings.CutPrefix(e, "PATH=")
		if !ok {
			continue
		}
		for _, folder := range filepath.SplitList(path) {
			if candidate := filepath.Join(folder, name); filepath.IsAbs(candidate) && exists(candidate) {
				return candidate, true
			}
		}
	}
	return "", false
}
