package crash

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
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
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func run(m *testing.M) (int, error) {
	if err := flag.Set("test.parallel", sideBySide); err != nil {
		return 1, err
	}
	dir, err := os.MkdirTemp("", "mindroom-crash-")
	if err != nil {
		return 1, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	bin = filepath.Join(dir, "bin")
	if err := os.Mkdir(bin, 0o700); err != nil {
		return 1, err
	}
	if !testing.Short() {
		if err := binary.BuildTagged(context.Background(), bin, "crashsteps", "mindroom", "mindroom-supervise", "mindroom-agent"); err != nil {
			return 1, err
		}
	}
	return homeserver.Main(m, nil), nil
}
