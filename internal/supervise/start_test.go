//go:build linux

package supervise_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"mindroom/internal/supervise"
)

func kindOf(err error) supervise.Kind {
	var e *supervise.Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return ""
}

func TestWhatCannotBeStarted(t *testing.T) {
	t.Parallel()
	notProgram := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(notProgram, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	open := t.TempDir()
	for name, c := range map[string]struct {
		spec supervise.Spec
		kind supervise.Kind
	}{
		"no argv":          {supervise.Spec{}, supervise.KindInvalidSpec},
		"relative program": {supervise.Spec{Argv: []string{"ls"}}, supervise.KindInvalidSpec},
		"NUL in argv":      {supervise.Spec{Argv: []string{"/bin/ls", "a\x00b"}}, supervise.KindInvalidSpec},
		"bad environment":  {supervise.Spec{Argv: []string{"/bin/ls"}, Env: []string{"=x"}}, supervise.KindInvalidSpec},
		"negative":         {supervise.Spec{Argv: []string{"/bin/ls"}, Deadline: -1}, supervise.KindInvalidSpec},
		"unknown level":    {supervise.Spec{Argv: []string{"/bin/ls"}, MaxLevel: "jail"}, supervise.KindInvalidSpec},
		"unknown on exit":  {supervise.Spec{Argv: []string{"/bin/ls"}, OnLeaderExit: "maybe"}, supervise.KindInvalidSpec},
		"too much stdin":   {supervise.Spec{Argv: []string{"/bin/ls"}, Stdin: make([]byte, 3<<20)}, supervise.KindInvalidSpec},
		"no such program":  {supervise.Spec{Argv: []string{"/no/such/program"}}, supervise.KindStartFailed},
		"not a program":    {supervise.Spec{Argv: []string{notProgram}}, supervise.KindStartFailed},
		"no such folder":   {supervise.Spec{Argv: []string{"/bin/ls"}, Dir: "/no/such/folder"}, supervise.KindStartFailed},
		"open run folder":  {supervise.Spec{Argv: []string{"/bin/ls"}, RunDir: open}, supervise.KindStartFailed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := supervise.Start(bounded(t), c.spec)
			if kindOf(err) != c.kind {
				t.Errorf("got %v, %v; want kind %s", p, err, c.kind)
			}
		})
	}
}

func TestStartFailureIsRecorded(t *testing.T) {
	t.Parallel()
	spec := supervise.Spec{Argv: []string{"/no/such/program"}, RunDir: runDir(t)}
	_, err := supervise.Start(bounded(t), spec)
	if kindOf(err) != supervise.KindStartFailed || !strings.Contains(err.Error(), "/no/such/program") {
		t.Errorf("got %v", err)
	}
	r, err := supervise.Reclaim(bounded(t), spec.RunDir)
	if err != nil || r.Cause != supervise.CauseStartFailed || r.Proof != "nothing" || !strings.Contains(r.Error, "no such file") {
		t.Errorf("record %+v, %v", r, err)
	}
}

// A run folder serves one run, whether that lives or not.
func TestRunFolderIsUsedOnce(t *testing.T) {
	t.Parallel()
	spec := sh("sleep 1000")
	spec.RunDir = runDir(t)
	p := start(t, spec)
	for _, when := range []string{"alive", "dead"} {
		if _, err := supervise.Start(bounded(t), spec); kindOf(err) != supervise.KindRunDirUsed {
			t.Errorf("%s: got %v", when, err)
		}
		if err := p.Close(bounded(t)); err != nil {
			t.Fatal(err)
		}
	}
}

// The environment of the test binary names the supervisor, so these two run alone.
func TestLocate(t *testing.T) {
	good := os.Getenv("MINDROOM_SUPERVISE")
	t.Setenv("MINDROOM_SUPERVISE", "/no/such/supervisor")
	if _, err := supervise.Start(bounded(t), sh("true")); kindOf(err) != supervise.KindNoSupervisor {
		t.Errorf("got %v", err)
	}
	t.Setenv("MINDROOM_SUPERVISE", "")
	if path, err := supervise.Locate(); err == nil || !strings.Contains(err.Error(), "mindroom-supervise") {
		t.Errorf("beside the test binary: %s, %v", path, err)
	}
	t.Setenv("MINDROOM_SUPERVISE", good+"-other")
	if _, err := supervise.Start(bounded(t), sh("true")); kindOf(err) != supervise.KindWrongBuild || !strings.Contains(err.Error(), `"other"`) {
		t.Errorf("got %v", err)
	}
	t.Setenv("MINDROOM_SUPERVISE", "/bin/true")
	if _, err := supervise.Start(bounded(t), sh("true")); kindOf(err) != supervise.KindStartFailed {
		t.Errorf("a program that is no supervisor: %v", err)
	}
}

// A Start whose context ends leaves nothing behind, at whatever moment that is.
func TestStartCancelled(t *testing.T) {
	t.Parallel()
	nap, alive := mark(t)
	for _, after := range []time.Duration{0, time.Millisecond, 2 * time.Millisecond, 4 * time.Millisecond, 8 * time.Millisecond} {
		ctx, cancel := context.WithTimeout(context.Background(), after)
		p, err := supervise.Start(ctx, sh(escape(nap)+"wait"))
		cancel()
		if err == nil {
			if err := p.Close(bounded(t)); err != nil {
				t.Fatal(err)
			}
		}
		if left := alive(); len(left) > 0 {
			t.Errorf("after %v (%v): alive %v", after, err, left)
		}
	}
}

// An ordinary user, without any cgroup: the subreaper is enough, and RLIMIT_NPROC bounds where it is told to.
func TestOrdinaryUser(t *testing.T) {
	if os.Getuid() != 0 {
		t.Log("these tests already run as an ordinary user")
		return
	}
	const nobody = 64321
	nap, alive := mark(t)
	base, err := os.MkdirTemp("", "ordinary")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(base) })
	if err := os.Chown(base, nobody, nobody); err != nil {
		t.Fatal(err)
	}
	exe := copyOfTestBinary(t, base)
	for d := filepath.Dir(nap); d != "/tmp" && d != "/"; d = filepath.Dir(d) {
		if err := os.Chmod(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	spec := sh(escape(nap) + `echo ready; wait`)
	spec.RunDir, spec.MaxProcs, spec.OwnUser, spec.Grace = filepath.Join(base, "run"), 50, true, 100*time.Millisecond
	pr := startPrimaryFrom(t, exe, spec, &syscall.Credential{Uid: nobody, Gid: nobody})
	if pr.status.Level != supervise.LevelSubreaper || pr.status.Limit != supervise.LimitNproc {
		t.Errorf("level %s, limit %s", pr.status.Level, pr.status.Limit)
	}
	until(t, "children", func() bool { return len(alive()) == escapees })
	pr.kill()
	until(t, "exit record", func() bool { return exists(filepath.Join(spec.RunDir, "exit.json")) })
	if left := alive(); len(left) > 0 {
		t.Errorf("alive: %v", left)
	}
}

// copyOfTestBinary lies where an ordinary user may execute it.
func copyOfTestBinary(t *testing.T, dir string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "primary")
	if err := os.WriteFile(path, b, 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// Starting and ending many trees leaves no descriptor, no child, no goroutine (goleak, in TestMain) and no cgroup behind.
func TestNoLeaks(t *testing.T) {
	before := descriptors(t)
	var ids []string
	for range 30 {
		p, err := supervise.Start(bounded(t), sh("sleep 1000 & echo hi"))
		if err != nil {
			t.Fatal(err)
		}
		s, err := p.Status(bounded(t))
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, s.ID)
		if err := p.Close(bounded(t)); err != nil {
			t.Fatal(err)
		}
	}
	runtime.GC()
	if after := descriptors(t); after > before+2 { // the runtime may have opened its poller meanwhile
		t.Errorf("descriptors: %d before, %d after", before, after)
	}
	for _, id := range ids {
		if left, _ := filepath.Glob("/sys/fs/cgroup/*/mindroom-" + id); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	}
	var ws syscall.WaitStatus
	if pid, err := syscall.Wait4(-1, &ws, syscall.WNOHANG, nil); !errors.Is(err, syscall.ECHILD) {
		t.Errorf("child %d was not reaped: %v", pid, err)
	}
}

func descriptors(t *testing.T) int {
	t.Helper()
	e, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(e)
}

// BenchmarkBareStartToFirstByte is the same without a supervisor, to subtract.
func BenchmarkBareStartToFirstByte(b *testing.B) {
	for b.Loop() {
		cmd := exec.Command("/bin/echo", "x")
		out, err := cmd.StdoutPipe()
		if err != nil {
			b.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			b.Fatal(err)
		}
		if _, err := out.Read(make([]byte, 2)); err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		if err := cmd.Wait(); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
}

// BenchmarkStartToFirstByte is what a supervisor adds to a launch: from Start to the first byte of the program's output.
func BenchmarkStartToFirstByte(b *testing.B) {
	ctx := context.Background()
	for _, level := range levels(b) {
		for _, durable := range []bool{false, true} {
			name := string(level)
			if durable {
				name += "/run folder"
			}
			b.Run(name, func(b *testing.B) {
				for b.Loop() {
					spec := supervise.Spec{Argv: []string{"/bin/echo", "x"}, MaxLevel: level}
					if durable {
						spec.RunDir = runDir(b)
					}
					p, err := supervise.Start(ctx, spec)
					if err != nil {
						b.Fatal(err)
					}
					if c, err := p.ReadFrom(ctx, 0); err != nil || len(c.Data) == 0 {
						b.Fatal(c, err)
					}
					b.StopTimer()
					if err := p.Close(ctx); err != nil {
						b.Fatal(err)
					}
					b.StartTimer()
				}
			})
		}
	}
}
