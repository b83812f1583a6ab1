//go:build goolm

package faults

import (
	"context"
	"flag"
	"fmt"
	"os"
	"testing"

	"mindroom/test/binary"
	"mindroom/test/homeserver"
)

// bin holds the built binaries.
var bin string

// sideBySide is how many faults are played at once: they wait more than they work.
const sideBySide = "6"

func TestMain(m *testing.M) {
	flag.Parse()
	dir, err := os.MkdirTemp("", "mindroom-faults-")
	if err == nil {
		err = flag.Set("test.parallel", sideBySide)
	}
	if err == nil && !testing.Short() {
		err = binary.Build(context.Background(), dir, "mindroom", "mindroom-supervise", "mindroom-agent")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	bin = dir
	code := homeserver.Main(m, nil)
	_ = os.RemoveAll(dir)
	os.Exit(code)
}
