package launcher

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"mindroom/internal/sibling"
	"mindroom/internal/supervise/wire"
)

const (
	// Name is the program, as a shell command calls it.
	Name = "mindroom-agent"
	// locateEnv names its path where it does not lie beside the program: in tests.
	locateEnv = "MINDROOM_AGENT_CLI"
	// answering is how long it may take to say its build.
	answering = 10 * time.Second
)

// Locate returns the path of the program: $MINDROOM_AGENT_CLI, else mindroom-agent beside this program, symbolic links followed. It
// fails with KindMissing.
func Locate() (string, error) {
	path, err := sibling.Find(Name, locateEnv)
	if err != nil {
		return "", &Error{Kind: KindMissing, Text: "the turn CLI was not found", Err: err}
	}
	return path, nil
}

// Check starts the program at path for a moment and fails with KindOtherBuild unless it is of this program's build.
func Check(ctx context.Context, path string) error {
	ctx, cancel := context.WithTimeout(ctx, answering)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "--build-id")
	cmd.Env = []string{} // it needs nothing, and nothing of ours is its business
	out, err := cmd.Output()
	if err != nil {
		return &Error{Kind: KindOtherBuild, Text: fmt.Sprintf("%s does not say its build; install it again, from the build of mindroom", path), Err: err}
	}
	if build := strings.TrimSpace(string(out)); build != wire.Build {
		return &Error{Kind: KindOtherBuild, Text: fmt.Sprintf("%s is build %q, and mindroom is build %q; install both from one build", path, build, wire.Build)}
	}
	return nil
}
