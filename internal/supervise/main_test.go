//go:build linux

package supervise_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"

	"mindroom/internal/supervise"
)

// primaryEnv makes the test binary play a primary of its own, which can be stopped and killed.
const primaryEnv = "MINDROOM_TEST_PRIMARY"

func TestMain(m *testing.M) {
	if os.Getenv(primaryEnv) != "" {
		os.Exit(playPrimary())
	}
	os.Exit(run(m))
}

// run builds the real supervisor once for all tests.
func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "supervise")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	if err := os.Chmod(dir, 0o755); err != nil {
		panic(err)
	}
	path := filepath.Join(dir, "mindroom-supervise")
	build(path, "-s -w")
	build(path+"-other", "-s -w -X mindroom/internal/supervise/wire.Build=other")
	os.Setenv("MINDROOM_SUPERVISE", path)
	code := m.Run()
	if code == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	return code
}

func build(path, ldflags string) {
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags", ldflags, "-o", path, "mindroom/cmd/mindroom-supervise")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-mod=mod -buildvcs=false")
	if out, err := cmd.CombinedOutput(); err != nil {
		panic(fmt.Sprintf("build supervisor: %v\n%s", err, out))
	}
}

// playPrimary starts the tree described on stdin, tells its leader's pid, and stays.
func playPrimary() int {
	var spec supervise.Spec
	if err := json.NewDecoder(os.Stdin).Decode(&spec); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	p, err := supervise.Start(ctx, spec)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	s, err := p.Status(ctx)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	_ = json.NewEncoder(os.Stdout).Encode(s)
	select {}
}
