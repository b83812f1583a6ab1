package launcher

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"mindroom/test/binary"
)

// otherBuild is the program, of another build.
var otherBuild string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "launcher-")
	if err == nil {
		err = binary.Build(context.Background(), dir, Name)
	}
	otherBuild = filepath.Join(dir, "other")
	if err == nil {
		cmd := exec.Command("go", "build", "-ldflags", "-X mindroom/internal/agentcli.Build=other", "-o", otherBuild, "mindroom/cmd/mindroom-agent")
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		var out []byte
		if out, err = cmd.CombinedOutput(); err != nil {
			err = fmt.Errorf("%w: %s", err, out)
		}
	}
	if err == nil {
		err = os.Setenv(locateEnv, filepath.Join(dir, Name))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	status := m.Run()
	if err := os.RemoveAll(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	if status == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			status = 1
		}
	}
	os.Exit(status)
}
