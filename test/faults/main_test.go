//go:build goolm

package faults

import (
	"context"
	"flag"
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
	os.Exit(binary.Around(prepare, func() int { return homeserver.Main(m, nil) }))
}

func prepare(dir string) error {
	bin = dir
	if err := flag.Set("test.parallel", sideBySide); err != nil || testing.Short() {
		return err
	}
	return binary.Build(context.Background(), dir, "mindroom", "mindroom-supervise", "mindroom-agent")
}
