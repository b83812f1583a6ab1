package main

import (
	"context"
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"

	"mindroom/test/binary"
)

// bin is the folder with the built program.
var bin string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "mindroom-agent-bin-")
	if err == nil {
		err = binary.Build(context.Background(), dir, "mindroom-agent")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	bin = dir
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
