//go:build linux

package proc

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func child(t *testing.T, name string, args ...string) (*exec.Cmd, Ident) {
	t.Helper()
	cmd := exec.Command(name, args...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	s, err := Read(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	return cmd, s.Ident
}

func TestParseStat(t *testing.T) {
	t.Parallel()
	const rest = " 1 42 42 0 -1 4194560 100 0 0 0 1 2 0 0 20 0 3 0 987654 1000 50"
	s, err := parseStat([]byte("42 (a ) S (x) Z" + rest))
	if err != nil || s.State != 'Z' || s.Pid != 42 || s.Parent != 1 || s.Group != 42 || s.Threads != 3 || s.Start != 987654 || !s.Dead() {
		t.Errorf("got %+v, %v", s, err)
	}
	for _, bad := range []string{"", "42", "42 (x) S 1", "x (y) S" + rest, "42 (x) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 x"} {
		if _, err := parseStat([]byte(bad)); !errors.Is(err, errStat) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func FuzzParseStat(f *testing.F) {
	b, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add([]byte("1 () S"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if s, err := parseStat(b); err == nil && s.State == 0 {
			t.Errorf("a status without a state: %q", b)
		}
	})
}

// Sentences 1 and 2: only the exact process is signalled, and one with another start is gone.
func TestSignalChecksTheStart(t *testing.T) {
	t.Parallel()
	cmd, id := child(t, "sleep", "1000")
	other := Ident{Pid: id.Pid, Start: id.Start + 1}
	if err := Signal(other, syscall.SIGKILL); !errors.Is(err, ErrGone) {
		t.Errorf("another start: %v", err)
	}
	if err := signalByNumber(other, syscall.SIGKILL); !errors.Is(err, ErrGone) {
		t.Errorf("another start, without a pidfd: %v", err)
	}
	if alive, err := Alive(other); alive || err != nil {
		t.Errorf("another start: alive %v, %v", alive, err)
	}
	if alive, err := Alive(id); !alive || err != nil {
		t.Errorf("alive %v, %v", alive, err)
	}
	if ended, err := AwaitExit(id, 10*time.Millisecond); ended || err != nil {
		t.Errorf("ended %v, %v", ended, err)
	}
	if err := Signal(id, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if ended, err := AwaitExit(id, 10*time.Second); !ended || err != nil {
		t.Errorf("ended %v, %v", ended, err)
	}
	if alive, err := Alive(id); alive || err != nil { // sentence 3: not reaped yet, but dead
		t.Errorf("zombie: alive %v, %v", alive, err)
	}
	_ = cmd.Wait()
	if err := Signal(id, syscall.SIGKILL); !errors.Is(err, ErrGone) {
		t.Errorf("reaped: %v", err)
	}
}

func TestSignalRefusesInitAndGroups(t *testing.T) {
	t.Parallel()
	for _, pid := range []int{1, 0, -1} {
		if err := Signal(Ident{Pid: pid}, 0); err == nil || errors.Is(err, ErrGone) {
			t.Errorf("process %d: %v", pid, err)
		}
	}
}

// Both ways to find descendants see the same tree.
func TestDescendants(t *testing.T) {
	t.Parallel()
	cmd := exec.Command("sh", "-c", "sleep 1000 & (sleep 1000 & wait) & echo up; wait")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL); _ = cmd.Wait() })
	if _, err := out.Read(make([]byte, 3)); err != nil {
		t.Fatal(err)
	}
	for name, list := range map[string]func(int) ([]Stat, error){"lists": Descendants, "scan": scanBelow} {
		var got []Stat
		for end := time.Now().Add(10 * time.Second); time.Now().Before(end) && len(got) != 3; time.Sleep(time.Millisecond) {
			if got, err = list(cmd.Process.Pid); err != nil {
				t.Fatal(err)
			}
		}
		if len(got) != 3 {
			t.Errorf("%s: %d descendants, want 3", name, len(got))
		}
		for _, s := range got {
			if s.Group != cmd.Process.Pid {
				t.Errorf("%s: %d is of group %d", name, s.Pid, s.Group)
			}
		}
	}
}

func TestMarked(t *testing.T) {
	t.Parallel()
	cmd := exec.Command("sleep", "1000")
	cmd.Env = []string{"MARK=right"}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	for mark, want := range map[string]int{"MARK=right": 1, "MARK=righ": 0, "MARK": 0} {
		got, err := Marked(mark)
		if err != nil || len(got) != want {
			t.Errorf("%s: %v, %v", mark, got, err)
		}
	}
}

func TestBootTime(t *testing.T) {
	t.Parallel()
	at, err := BootTime()
	if err != nil || !at.Before(time.Now()) || at.Before(time.Now().AddDate(-20, 0, 0)) {
		t.Errorf("got %v, %v", at, err)
	}
}
