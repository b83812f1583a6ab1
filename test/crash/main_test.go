package crash

import (
	"context"
	"flag"
	"os"
	"testing"

	"mindroom/test/binary"
	"mindroom/test/homeserver"
)

// bin holds the built binaries, which die at their steps.
var bin string

// sideBySide is how many rows are played at once: they wait more than they
// work, for Python, for the homeserver and for each other.
const sideBySide = "6"

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(binary.Around(prepare, func() int { return homeserver.Main(m, nil) }))
}

func prepare(dir string) error {
	bin = dir
	if err := flag.Set("test.parallel", sideBySide); err != nil || testing.Short() {
		return err
	}
	return binary.BuildTagged(context.Background(), dir, "crashsteps", "mindroom", "mindroom-supervise", "mindroom-agent")
}
