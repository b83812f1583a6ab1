//go:build linux

package supervise_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"mindroom/internal/supervise"
	"mindroom/internal/supervise/proc"
	"mindroom/internal/supervise/wire"
	"mindroom/test/await"
)

// patience bounds every wait in these tests; it is never slept.
const patience = 20 * time.Second

func bounded(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	return ctx
}

// levels are those that this machine offers; subreaper always is.
func levels(t testing.TB) []supervise.Level {
	t.Helper()
	c, err := supervise.Probe()
	if err != nil {
		t.Fatal(err)
	}
	switch c.Level {
	case supervise.LevelCgroup2:
		return []supervise.Level{supervise.LevelCgroup2, supervise.LevelFreezer, supervise.LevelSubreaper}
	case supervise.LevelFreezer:
		return []supervise.Level{supervise.LevelFreezer, supervise.LevelSubreaper}
	}
	return []supervise.Level{supervise.LevelSubreaper}
}

// sh is a Spec for a shell text.
func sh(text string) supervise.Spec {
	return supervise.Spec{
		Argv: []string{"/bin/bash", supervise.TextPath}, Env: []string{"PATH=/usr/bin:/bin"}, Text: []byte(text), Grace: 300 * time.Millisecond,
	}
}

func start(t testing.TB, spec supervise.Spec) *supervise.Process {
	t.Helper()
	p, err := supervise.Start(bounded(t), spec)
	if err != nil {
		t.Fatalf("start: %v", err)
	}
	t.Cleanup(func() {
		if err := p.Close(bounded(t)); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return p
}

func runDir(t testing.TB) string {
	t.Helper()
	return filepath.Join(t.TempDir(), "run")
}

func wait(t testing.TB, what string, c <-chan struct{}) {
	t.Helper()
	select {
	case <-c:
	case <-time.After(patience):
		t.Fatalf("%s: not within %v", what, patience)
	}
}

// until waits for a condition that no event announces.
func until(t testing.TB, what string, ok func() bool) {
	t.Helper()
	await.Until(t, patience, what, ok)
}

func record(t testing.TB, p *supervise.Process) supervise.Record {
	t.Helper()
	wait(t, "death", p.Dead())
	r, ok := p.Record()
	if !ok {
		t.Fatal("dead without a record")
	}
	return r
}

func text(t testing.TB, p *supervise.Process) string {
	t.Helper()
	c, err := p.Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(c.Data)
}

// awaitOutput waits until the output holds the text.
func awaitOutput(t testing.TB, p *supervise.Process, want string) {
	t.Helper()
	ctx := bounded(t)
	for at := int64(0); !strings.Contains(text(t, p), want); {
		c, err := p.ReadFrom(ctx, at)
		if err != nil {
			t.Fatalf("wait for %q: %v; have %q", want, err, text(t, p))
		}
		if at = c.Next(); c.Done && !strings.Contains(text(t, p), want) {
			t.Fatalf("ended without %q: %q", want, text(t, p))
		}
	}
}

// mark is a process name nobody else uses: a copy of sleep under it is found by its path even with an empty environment.
func mark(t testing.TB) (program string, alive func() []int) {
	t.Helper()
	src, err := exec.LookPath("sleep")
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(src)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	program = filepath.Join(dir, fmt.Sprintf("nap%d", time.Now().UnixNano()%1e9))
	if err := os.WriteFile(program, b, 0o755); err != nil {
		t.Fatal(err)
	}
	return program, func() []int { return running(program) }
}

// running lists the living processes of one executable.
func running(program string) []int {
	all, err := proc.All()
	if err != nil {
		return nil
	}
	var pids []int
	for _, s := range all {
		if s.Dead() {
			continue
		}
		if b, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", s.Pid)); err == nil && bytes.HasPrefix(b, []byte(program+"\x00")) {
			pids = append(pids, s.Pid)
		}
	}
	return pids
}

// escape is a shell text that leaves naps of every kind behind: same group, own session, double fork, emptied environment, closed pipes, deaf to SIGTERM.
func escape(nap string) string {
	return strings.ReplaceAll(`
NAP 1000 &
setsid NAP 1001 &
(setsid NAP 1002 &) &
(setsid env -i NAP 1003 >/dev/null 2>&1 </dev/null &) &
bash -c 'trap "" TERM HUP INT; setsid env -i NAP 1004 >&- 2>&- & disown' &
(trap "" TERM; exec NAP 1005) &
`, "NAP", nap)
}

const escapees = 6

// primary is another primary process, to be stopped and killed.
type primary struct {
	cmd    *exec.Cmd
	status supervise.Status
}

func startPrimary(t testing.TB, spec supervise.Spec) *primary {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return startPrimaryFrom(t, exe, spec, nil)
}

// startPrimaryFrom may run it as another user, who needs a copy of the binary that he may execute.
func startPrimaryFrom(t testing.TB, exe string, spec supervise.Spec, cred *syscall.Credential) *primary {
	t.Helper()
	b, err := json.Marshal(wire.Spec(spec))
	if err != nil {
		t.Fatal(err)
	}
	pr := &primary{cmd: exec.Command(exe)}
	pr.cmd.Env = append(os.Environ(), primaryEnv+"=1")
	pr.cmd.Stdin, pr.cmd.Stderr = bytes.NewReader(b), os.Stderr
	pr.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Credential: cred}
	out, err := pr.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := pr.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { pr.kill() })
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err != nil {
		t.Fatalf("primary: %v", err)
	}
	if err := json.Unmarshal(line, &pr.status); err != nil {
		t.Fatal(err)
	}
	return pr
}

func (p *primary) kill() {
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
}

// supervisorOf finds a run's supervisor by what it wrote.
func supervisorOf(t testing.TB, dir string) wire.Identity {
	t.Helper()
	var id wire.Identity
	b, err := os.ReadFile(filepath.Join(dir, "supervisor.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &id); err != nil {
		t.Fatal(err)
	}
	return id
}

func parentOf(t testing.TB, pid int) int {
	t.Helper()
	s, err := proc.Read(pid)
	if err != nil {
		t.Fatal(err)
	}
	return s.Parent
}

func boot(t testing.TB) string {
	t.Helper()
	b, err := proc.BootID()
	if err != nil {
		t.Fatal(err)
	}
	return b
}
