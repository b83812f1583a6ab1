package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"mindroom/internal/config"
	"mindroom/internal/runtime"
	"mindroom/internal/store"
	"mindroom/internal/supervise"
	"mindroom/internal/turncli/launcher"
	pythonsdk "mindroom/sdk/python"
)

// leastFree is how much free space the storage should have, in bytes.
const leastFree = 256 << 20

// storage looks whether the folders of the data can be written and have room.
func (p *patient) storage(context.Context) []Finding {
	var out []Finding
	for _, f := range []struct{ name, path, variable string }{
		{"storage", p.set.StoragePath, "MINDROOM_STORAGE_PATH"}, {"control state", p.set.ControlPath, "MINDROOM_CONTROL_STATE_PATH"},
	} {
		place := existing(f.path)
		if err := unix.Access(place, unix.W_OK|unix.X_OK); err != nil {
			out = append(out, Finding{f.name, Fail, fmt.Sprintf("%s cannot be written (%v)", place, err),
				"give the account that runs mindroom the right to write there, or name another folder with " + f.variable})
			continue
		}
		var free unix.Statfs_t
		if err := unix.Statfs(place, &free); err != nil {
			out = append(out, Finding{f.name, Warn, fmt.Sprintf("%s: the free space cannot be told (%v)", place, err), ""})
			continue
		}
		bytes := free.Bavail * uint64(free.Bsize)
		finding := Finding{Check: f.name, Status: OK, Found: fmt.Sprintf("%s, %d MiB free", f.path, bytes>>20)}
		if bytes < leastFree {
			finding.Status, finding.Fix = Warn, "free some space: a full disk stops every call that has to be recorded"
		}
		out = append(out, finding)
	}
	return out
}

// existing is the nearest folder of a path that is there.
func existing(path string) string {
	for {
		if _, err := os.Stat(path); err == nil || path == filepath.Dir(path) {
			return path
		}
		path = filepath.Dir(path)
	}
}

// python looks for the interpreter of local scripts and whether the SDK loads.
func (p *patient) python(ctx context.Context) []Finding {
	name := p.env.Get("MINDROOM_PYTHON")
	if name == "" {
		name = "python3"
	}
	const fix = "install Python 3.9 or newer, or name one with MINDROOM_PYTHON"
	path, err := exec.LookPath(name)
	if err != nil {
		return []Finding{{"python", Fail, "no interpreter " + name, fix}}
	}
	dir, err := os.MkdirTemp("", "mindroom-doctor-")
	if err != nil {
		return []Finding{{"python", Fail, err.Error(), "free the folder for temporary files"}}
	}
	defer os.RemoveAll(dir)
	if err := pythonsdk.Lay(dir); err != nil {
		return []Finding{{"python", Fail, err.Error(), "free the folder for temporary files"}}
	}
	out, err := exec.CommandContext(ctx, path, "-I", "-c",
		"import sys; sys.path.insert(0, sys.argv[1]); import mindroom.script_sdk; print('%d.%d.%d' % sys.version_info[:3])", dir).CombinedOutput()
	if err != nil {
		return []Finding{{"python", Fail, fmt.Sprintf("%s cannot load the script SDK: %s", path, lastLine(out)), fix}}
	}
	return []Finding{{"python", OK, fmt.Sprintf("%s is Python %s and loads the script SDK", path, strings.TrimSpace(string(out))), ""}}
}

func lastLine(out []byte) string {
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return lines[len(lines)-1]
}

// containment looks how firmly process trees are held here, and whether the
// supervisor is installed.
func (p *patient) containment(context.Context) []Finding {
	if _, err := supervise.Locate(); err != nil {
		return []Finding{{"supervisor", Fail, err.Error(), "install mindroom-supervise of the same build beside mindroom"}}
	}
	c, err := supervise.Probe()
	if err != nil {
		return []Finding{{"containment", Fail, err.Error(), "scripts and shell commands need Linux"}}
	}
	f := Finding{Check: "containment", Status: OK, Found: fmt.Sprintf("process trees are held by %s; their size by %s", c.Level, c.Limit)}
	if c.Level == supervise.LevelSubreaper {
		f.Status, f.Found = Warn, f.Found+": "+strings.Join(c.Notes, "; ")
		f.Fix = "give the service a cgroup of its own that it may write (systemd: Delegate=yes)"
	}
	return []Finding{f}
}

// agentCLI looks for the program that agents' shell commands call tools with, and at the folder where they find it (C21).
func (p *patient) agentCLI(ctx context.Context) []Finding {
	err := launcher.Inspect(ctx, p.set.StoragePath)
	var fault *launcher.Error
	switch {
	case err == nil:
		return []Finding{{"turn CLI", OK, launcher.Name + " is of this build", ""}}
	case errors.As(err, &fault) && fault.Kind == launcher.KindFolder:
		return []Finding{{"turn CLI", Fail, err.Error(), "remove it: mindroom makes it anew at its start"}}
	}
	return []Finding{{"turn CLI", Fail, err.Error(), "install " + launcher.Name + " of the same build beside mindroom"}}
}

// scripts says whether background scripts may run at all (S56).
func (p *patient) scripts(context.Context) []Finding {
	wanted := false
	for _, name := range p.cfg.AgentNames() {
		for _, t := range p.cfg.EffectiveTools(name) {
			wanted = wanted || t.Name == "script"
		}
	}
	switch {
	case !wanted:
		return []Finding{{"scripts", OK, "no agent has the script tool", ""}}
	case p.set.Workers.Mode == config.ModeOff:
		return []Finding{{"scripts", OK, "run on this machine, under the runtime's account, with its environment: unsafe, for trusted scripts only", ""}}
	}
	return []Finding{{"scripts", Warn, "an agent has the script tool, but no script can run: there is no worker and local mode is not allowed",
		"set MINDROOM_SANDBOX_EXECUTION_MODE=off to run trusted scripts on this machine"}}
}

// port looks whether the API could listen.
func (p *patient) port(ctx context.Context) []Finding {
	port := p.o.APIPort
	if port == 0 {
		port = p.set.Port
	}
	if p.running {
		return nil
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", net.JoinHostPort("", strconv.Itoa(port)))
	if err != nil {
		return []Finding{{"port", Fail, fmt.Sprintf("%d cannot be listened on (%v)", port, err), "stop what uses it, or choose another with MINDROOM_PORT or --api-port"}}
	}
	if err := l.Close(); err != nil {
		return []Finding{{"port", Warn, err.Error(), ""}}
	}
	return []Finding{{"port", OK, strconv.Itoa(port) + " is free", ""}}
}

// runs looks for runs that an earlier start left behind.
func (p *patient) runs(ctx context.Context) []Finding {
	if p.running {
		return nil
	}
	path := filepath.Join(p.set.ControlPath, "mindroom.db")
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return []Finding{{"database", OK, "none yet; the first start makes it", ""}}
	}
	db, err := store.OpenReadOnly(ctx, path)
	if err != nil {
		return []Finding{{"database", Fail, err.Error(), "restore it from a backup, or ask for help before anything is deleted"}}
	}
	defer db.Close()
	var newer *store.SchemaError
	if err := db.Known(ctx, runtime.Schemas()...); errors.As(err, &newer) {
		return []Finding{{"database", Fail, newer.Error(), "use the version that wrote it, or restore a backup: see mindroom restore --help"}}
	}
	var left int
	err = db.Read(ctx, func(q *store.Reader) error {
		return q.QueryRow(`SELECT COUNT(*) FROM script_runs WHERE nonterminal = 1`).Scan(&left)
	})
	switch {
	case err != nil:
		return []Finding{{"database", Fail, err.Error(), "restore it from a backup, or ask for help before anything is deleted"}}
	case left > 0:
		return []Finding{{"scripts left", Warn, fmt.Sprintf("%d runs of an earlier start are not settled", left), "start mindroom: it ends them, proves that nothing is left, and says so"}}
	}
	return []Finding{{"database", OK, "readable, no run is left over", ""}}
}
