package launcher

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"mindroom/test/binary"
)

// otherBuild is the program, of another build.
var otherBuild string

func TestMain(m *testing.M) { os.Exit(binary.Main(m, prepare)) }

// prepare builds the program twice and has this package find the first one.
func prepare(dir string) error {
	if err := binary.Build(context.Background(), dir, Name); err != nil {
		return err
	}
	otherBuild = filepath.Join(dir, "other")
	cmd := exec.Command("go", "build", "-ldflags", "-X mindroom/internal/agentcli.Build=other", "-o", otherBuild, "mindroom/cmd/mindroom-agent")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build the other program: %w: %s", err, out)
	}
	return os.Setenv(locateEnv, filepath.Join(dir, Name))
}
