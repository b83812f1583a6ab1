package approval

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// A check that hangs is no obstacle to others; when it is given up its whole tree ends, and the script answers again afterwards. (That the time ends it too
// is in TestMatrix and TestEveryProcessHangs.)
func TestAWedgedCheck(t *testing.T) {
	t.Parallel()
	s := scripts(t)
	marks := filepath.Join(t.TempDir(), "pids")
	path := file(t, "py", `
import os, subprocess, time
def check(tool_name, arguments, agent_name):
    if arguments.get("hang"):
        child = subprocess.Popen(["setsid", "sleep", "1000"])
        with open(arguments["hang"], "a") as f:
            f.write("%d\n%d\n" % (os.getpid(), child.pid))
        while True:
            try:
                time.sleep(1000)
            except BaseException:
                pass
    return True
`)
	ctx, giveUp := context.WithCancel(t.Context())
	defer giveUp()
	var wedged sync.WaitGroup
	for range processesOfOne - 1 {
		wedged.Go(func() {
			_, err := s.Check(ctx, path, subject(t, `{"hang":"`+marks+`"}`))
			var failed *ScriptError
			if !errors.As(err, &failed) || failed.Kind != ScriptTimeout {
				t.Errorf("a check that was given up: %v", err)
			}
		})
	}
	until(t, "all hang", func() bool {
		b, _ := os.ReadFile(marks)
		return strings.Count(string(b), "\n") == 2*(processesOfOne-1)
	})
	if got, err := s.Check(t.Context(), path, subject(t, `{}`)); err != nil || !got {
		t.Errorf("another call, beside those that hang: %v, %v", got, err)
	}
	giveUp()
	wedged.Wait()
	for _, pid := range strings.Fields(mustRead(t, marks)) {
		until(t, "process "+pid+" is gone", func() bool {
			_, err := os.Stat("/proc/" + pid)
			return err != nil
		})
	}
	if got, err := s.Check(t.Context(), path, subject(t, `{}`)); err != nil || !got {
		t.Errorf("afterwards: %v, %v", got, err)
	}
}

// When every process of a script hangs, whoever comes next waits no longer than the time of one check.
func TestEveryProcessHangs(t *testing.T) {
	t.Parallel()
	s := scriptsWithin(t, time.Second)
	path := file(t, "py", "import time\ndef check(tool_name, arguments, agent_name):\n    time.sleep(1000)\n")
	var all sync.WaitGroup
	for range 3 * processesOfOne {
		all.Go(func() {
			start := time.Now()
			_, err := s.Check(t.Context(), path, subject(t, `{}`))
			var failed *ScriptError
			if !errors.As(err, &failed) || failed.Kind != ScriptTimeout {
				t.Errorf("%v", err)
			}
			if took := time.Since(start); took > patience {
				t.Errorf("one waited %s", took)
			}
		})
	}
	all.Wait()
}

// A check whose call ended says so and leaves nothing.
func TestTheCallEndsDuringACheck(t *testing.T) {
	t.Parallel()
	s := scripts(t)
	path := file(t, "py", "import time\ndef check(tool_name, arguments, agent_name):\n    time.sleep(1000)\n")
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(200*time.Millisecond, cancel)
	_, err := s.Check(ctx, path, subject(t, `{}`))
	var failed *ScriptError
	if !errors.As(err, &failed) || failed.Kind != ScriptTimeout || !strings.Contains(failed.Text, "the call ended") {
		t.Errorf("%v", err)
	}
}
