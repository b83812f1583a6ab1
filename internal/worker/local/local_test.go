//go:build linux

package local_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"mindroom/internal/supervise/rundir"
	"mindroom/internal/worker"
	"mindroom/internal/worker/local"
	"mindroom/internal/worker/workertest"
	"mindroom/test/binary"
)

// primaryEnv makes this test binary a primary that starts the process it
// describes, and is then killed.
const primaryEnv = "MINDROOM_TEST_LOCAL_PRIMARY"

func TestMain(m *testing.M) {
	if raw := os.Getenv(primaryEnv); raw != "" {
		fmt.Fprintln(os.Stderr, primary(raw))
		os.Exit(1)
	}
	os.Exit(binary.Main(m, binary.Supervisor))
}

// order is what a primary that will be killed has to do.
type order struct {
	Spec worker.Spec
	Want string
}

// primary starts the process, says its handle when the process wrote what is
// wanted, and waits for its death.
func primary(raw string) error {
	var o order
	if err := json.Unmarshal([]byte(raw), &o); err != nil {
		return err
	}
	b, err := local.New()
	if err != nil {
		return err
	}
	h, err := b.Start(context.Background(), o.Spec)
	if err != nil {
		return err
	}
	for text := ""; !strings.Contains(text, o.Want); {
		out, err := b.Output(context.Background(), o.Spec.Run, o.Spec.Folder, 0)
		if err != nil {
			return err
		}
		text = out.Text
	}
	if err := json.NewEncoder(os.Stdout).Encode(h); err != nil {
		return err
	}
	select {}
}

func TestConformance(t *testing.T) {
	t.Parallel()
	workertest.Run(t, workertest.Place{
		New: func(t *testing.T) worker.Backend {
			b, err := local.New()
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
				defer cancel()
				if err := b.Close(ctx); err != nil {
					t.Error(err)
				}
			})
			return b
		},
		Folder:         func(t *testing.T) string { return t.TempDir() },
		Dir:            func(t *testing.T) string { return t.TempDir() },
		Earlier:        earlier,
		KillSupervisor: killSupervisor,
		Alive:          alive,
	})
}

func earlier(t *testing.T, spec worker.Spec, want string) worker.Handle {
	t.Helper()
	raw, err := json.Marshal(order{spec, want})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), primaryEnv+"="+string(raw))
	cmd.Stderr = os.Stderr
	said, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	line, readErr := bufio.NewReader(said).ReadBytes('\n')
	if err := cmd.Process.Kill(); err != nil {
		t.Error(err)
	}
	_, _ = io.Copy(io.Discard, said)
	_ = cmd.Wait() // it was killed
	var h worker.Handle
	if err := json.Unmarshal(line, &h); err != nil {
		t.Fatalf("the earlier primary said %q: %v, %v", line, readErr, err)
	}
	return h
}

func killSupervisor(t *testing.T, spec worker.Spec) {
	t.Helper()
	id, err := rundir.Dir(filepath.Join(spec.Folder, "supervisor")).ReadIdentity()
	if err == nil {
		err = syscall.Kill(id.Supervisor.Pid, syscall.SIGKILL)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// alive reads every process's environment. The dead have none.
func alive(t *testing.T, mark string) int {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, file := range files {
		raw, _ := os.ReadFile(file) // it may have ended meanwhile
		for _, v := range bytes.Split(raw, []byte{0}) {
			if string(v) == mark {
				n++
			}
		}
	}
	return n
}
