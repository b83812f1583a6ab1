package binary

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"go.uber.org/goleak"
)

// Main runs the tests of a package that runs programs, as Around does, and fails
// tests that left a goroutine behind. m is a *testing.M; options are goleak's.
func Main(m interface{ Run() int }, prepare func(dir string) error, options ...goleak.Option) int {
	return Around(prepare, func() int {
		status := m.Run()
		if status == 0 {
			if err := goleak.Find(options...); err != nil {
				fmt.Fprintln(os.Stderr, err)
				status = 1
			}
		}
		return status
	})
}

// Around has prepare put programs into a folder, runs tests, and removes the folder. It
// returns the status to exit with: that of run, or 1 where nothing could be prepared.
func Around(prepare func(dir string) error, run func() int) int {
	dir, err := os.MkdirTemp("", "mindroom-test-bin-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := prepare(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return run()
}

// Supervisor builds mindroom-supervise into dir and points the environment of this
// process at it. It is what Main prepares for tests whose product starts processes.
func Supervisor(dir string) error {
	if err := Build(context.Background(), dir, "mindroom-supervise"); err != nil {
		return err
	}
	return os.Setenv("MINDROOM_SUPERVISE", filepath.Join(dir, "mindroom-supervise"))
}

// Supervise is Supervisor for a program of its own: it makes the folder, which the
// returned function removes.
func Supervise() (remove func(), err error) {
	dir, err := os.MkdirTemp("", "mindroom-test-bin-")
	if err != nil {
		return nil, err
	}
	remove = func() { _ = os.RemoveAll(dir) }
	if err := Supervisor(dir); err != nil {
		remove()
		return nil, err
	}
	return remove, nil
}
