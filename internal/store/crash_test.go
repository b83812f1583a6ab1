package store

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

const (
	childEnv = "STORE_TEST_CRASH_AT"
	pathEnv  = "STORE_TEST_PATH"
)

// crashChild writes notes a0, a1, … and says each acknowledged one on standard
// output; at the point named, in its fourth commit, it kills itself.
func crashChild(point string) {
	db, err := Open(context.Background(), os.Getenv(pathEnv), notes)
	if err != nil {
		panic(err)
	}
	commits := 0
	db.SetFault(func(p Point) error {
		if string(p) != point {
			return nil
		}
		if commits++; commits == 4 {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
		return nil
	})
	for i := 0; ; i++ {
		id := fmt.Sprintf("a%d", i)
		if err := db.Write(context.Background(), add(id, "x")); err != nil {
			panic(err)
		}
		fmt.Println(id)
	}
}

// Invariants 1 and 2, with a process that dies for real.
func TestCrash(t *testing.T) {
	t.Parallel()
	for point, want := range map[Point][]string{
		BeforeCommit: {"a0", "a1", "a2"},
		AfterCommit:  {"a0", "a1", "a2", "a3"}, // durable although nobody was told
	} {
		t.Run(string(point), func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "test.db")
			cmd := exec.CommandContext(t.Context(), os.Args[0])
			cmd.Env = append(os.Environ(), childEnv+"="+string(point), pathEnv+"="+path)
			var stderr strings.Builder
			cmd.Stderr = &stderr
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			var acknowledged []string
			for lines := bufio.NewScanner(out); lines.Scan(); {
				acknowledged = append(acknowledged, lines.Text())
			}
			_ = cmd.Wait()
			if status := cmd.ProcessState.Sys().(syscall.WaitStatus); status.Signal() != syscall.SIGKILL {
				t.Fatalf("the child ended with %v: %s", cmd.ProcessState, stderr.String())
			}
			if !slices.Equal(acknowledged, []string{"a0", "a1", "a2"}) {
				t.Errorf("acknowledged %v", acknowledged)
			}
			db := openAt(t, path) // the dead process's lock is gone with it
			if got := ids(t, db); !slices.Equal(got, want) {
				t.Errorf("after the crash: %v, want %v", got, want)
			}
		})
	}
}
