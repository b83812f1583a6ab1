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

	"mindroom/internal/supervise"
	"mindroom/test/binary"
)

// primaryEnv makes the test binary play a primary of its own, which can be stopped and killed.
const primaryEnv = "MINDROOM_TEST_PRIMARY"

func TestMain(m *testing.M) {
	if os.Getenv(primaryEnv) != "" {
		os.Exit(playPrimary())
	}
	os.Exit(binary.Main(m, prepare))
}

// prepare builds the real supervisor, and one of another build beside it.
func prepare(dir string) error {
	if err := os.Chmod(dir, 0o755); err != nil {
		return err
	}
	path := filepath.Join(dir, "mindroom-supervise")
	build(path, "-s -w")
	build(path+"-other", "-s -w -X mindroom/internal/supervise/wire.Build=other")
	return os.Setenv("MINDROOM_SUPERVISE", path)
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
