package binary

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Build builds the named commands (mindroom, mindroom-supervise, mindroom-agent) from this
// source tree, without cgo, into dir, side by side as an installation has them.
func Build(ctx context.Context, dir string, names ...string) error {
	return BuildTagged(ctx, dir, "", names...)
}

// BuildTagged is Build with more build tags, separated by commas; goolm, the
// encryption in pure Go, is always there as it is in what users get.
func BuildTagged(ctx context.Context, dir, tags string, names ...string) error {
	args := []string{"build", "-tags=goolm," + tags, "-o", dir + string(filepath.Separator)}
	for _, name := range names {
		args = append(args, "mindroom/cmd/"+name)
	}
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build %v: %w\n%s", names, err, out)
	}
	return nil
}
