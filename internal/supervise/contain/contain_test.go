//go:build linux

package contain

import (
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestParseHomes(t *testing.T) {
	t.Parallel()
	const unified = "30 20 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n"
	const v1 = "31 20 0:27 / /sys/fs/cgroup/freezer rw - cgroup cgroup rw,freezer\n32 20 0:28 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n" +
		"33 20 0:29 / /sys/fs/cgroup/unified rw - cgroup2 none rw\n34 20 0:30 / /proc rw - proc proc rw\n"
	for name, c := range map[string]struct {
		mounts, own string
		want        homes
	}{
		"unified":                    {unified, "0::/user.slice/a.service\n", homes{v2: "/sys/fs/cgroup/user.slice/a.service"}},
		"hybrid":                     {v1, "6:freezer:/x\n8:pids:/y/z\n0::/\n", homes{v2: "/sys/fs/cgroup/unified", freezer: "/sys/fs/cgroup/freezer/x", pids: "/sys/fs/cgroup/pids/y/z"}},
		"joined":                     {"31 20 0:27 / /c rw - cgroup cgroup rw,freezer,pids\n", "6:freezer,pids:/x\n", homes{freezer: "/c/x", pids: "/c/x"}},
		"a mount that shows a part":  {"30 20 0:26 /docker/1 /sys/fs/cgroup ro - cgroup2 cgroup2 rw\n", "0::/docker/1/a\n", homes{v2: "/sys/fs/cgroup/a"}},
		"a mount that shows another": {"30 20 0:26 /docker/1 /sys/fs/cgroup ro - cgroup2 cgroup2 rw\n", "0::/docker/12\n", homes{}},
		"outside the namespace":      {unified, "0::/../../a\n", homes{}},
		"nothing":                    {"", "", homes{}},
	} {
		if got := parseHomes([]byte(c.mounts), []byte(c.own)); got != c.want {
			t.Errorf("%s: got %+v, want %+v", name, got, c.want)
		}
	}
}

func FuzzParseHomes(f *testing.F) {
	f.Add("30 20 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n", "0::/a\n")
	f.Add("30 20 0:26 /b /c rw - cgroup cgroup rw,freezer\n", "1:freezer:/b/d\n")
	f.Fuzz(func(t *testing.T, mounts, own string) {
		h := parseHomes([]byte(mounts), []byte(own))
		for _, dir := range []string{h.v2, h.freezer, h.pids} {
			if strings.Contains("/"+dir+"/", "/../") && !strings.Contains(mounts, "..") {
				t.Errorf("%q leaves its mount", dir)
			}
		}
	})
}

// Sentence 1: what was not made here is neither killed nor removed by a record.
func TestRecordedFoldersAreChecked(t *testing.T) {
	t.Parallel()
	for _, dir := range []string{"/sys/fs/cgroup", "mindroom-x", "/sys/fs/cgroup/mindroom-x/..", "/sys/fs/cgroup/system.slice"} {
		g := Group{Freezer: dir}
		if g.Kill() == nil {
			t.Errorf("%q: killed", dir)
		}
		if _, err := g.Members(); err == nil {
			t.Errorf("%q: listed", dir)
		}
		if _, err := (Group{V2: dir}).Empty(); err == nil {
			t.Errorf("%q: called empty or not", dir)
		}
	}
}

func TestLevels(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		cap, other Level
		want       bool
	}{
		{"", LevelCgroup2, true}, {LevelCgroup2, LevelFreezer, true}, {LevelFreezer, LevelCgroup2, false}, {LevelSubreaper, LevelFreezer, false},
		{LevelSubreaper, LevelSubreaper, true},
	} {
		if got := c.cap.allows(c.other); got != c.want {
			t.Errorf("%q allows %q: %v", c.cap, c.other, got)
		}
	}
	if Level("jail").Known() || !LevelFreezer.Known() {
		t.Error("known levels")
	}
}

// Sentence 2: born inside, killed as a whole, with what it made below, and removed.
func TestGroupHoldsWhatIsBornInside(t *testing.T) {
	t.Parallel()
	for _, max := range []Level{LevelCgroup2, LevelFreezer} {
		t.Run(string(max), func(t *testing.T) {
			t.Parallel()
			runtime.LockOSThread() // never unlocked: a thread that was moved about is thrown away
			name := hex.EncodeToString([]byte(fmt.Sprintf("%016d", time.Now().UnixNano()%1e16)))
			g, notes := Create(name, max, true)
			if g.Level != max {
				t.Logf("not offered here: %v", notes)
				if err := g.Remove(); err != nil {
					t.Error(err)
				}
				return
			}
			if found := Find(name); found.Level != g.Level || found.V2 != g.V2 || found.Freezer != g.Freezer {
				t.Errorf("found %+v, made %+v", found, g)
			}
			cmd := exec.Command("sh", "-c", "(setsid sleep 1000 &); exec sleep 1000")
			cmd.SysProcAttr = &syscall.SysProcAttr{}
			if err := g.Launch(cmd.SysProcAttr, cmd.Start); err != nil {
				t.Fatal(err)
			}
			reap := make(chan error, 1)
			go func() { reap <- cmd.Wait() }()
			eventually(t, "two members", func() bool { m, err := g.Members(); return err == nil && len(m) == 2 })
			if empty, err := g.Empty(); empty || err != nil {
				t.Errorf("empty %v, %v", empty, err)
			}
			if g.Remove() == nil {
				t.Error("a group with processes was removed")
			}
			below := filepath.Join(g.dirs()[0], "below")
			if err := os.Mkdir(below, 0o755); err != nil {
				t.Fatal(err)
			}
			eventually(t, "empty", func() bool {
				if err := g.Kill(); err != nil {
					t.Error(err)
				}
				empty, err := g.Empty()
				return err == nil && empty
			})
			<-reap
			eventually(t, "removed", func() bool { return g.Remove() == nil })
			if empty, err := g.Empty(); !empty || err != nil {
				t.Errorf("removed: empty %v, %v", empty, err)
			}
		})
	}
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal(what)
		}
	}
}
