package main

import (
	"context"
	"os"
	"testing"

	"mindroom/test/binary"
)

// bin is the folder with the built program.
var bin string

func TestMain(m *testing.M) {
	os.Exit(binary.Main(m, func(dir string) error {
		bin = dir
		return binary.Build(context.Background(), dir, "mindroom-agent")
	}))
}
