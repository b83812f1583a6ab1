package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"
)

func main() { os.Exit(run(os.Args[1:])) }

func run(args []string) int {
	// Ctrl-C reaches go test too; what it says on the way out is still told.
	// Ignoring the signal instead would make the tests ignore it as well.
	signal.Notify(make(chan os.Signal, 1), os.Interrupt, syscall.SIGTERM)
	start := time.Now()
	cmd := exec.Command("go", append([]string{"test", "-json"}, args...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "suite: cannot run go test: %v\n", err)
		return 1
	}
	r := newReport(os.Stdout)
	readErr := r.read(out)
	waitErr := cmd.Wait()
	r.summarise(time.Since(start))
	var exit *exec.ExitError
	switch {
	case readErr != nil:
		fmt.Fprintf(os.Stderr, "suite: the output of go test cannot be read: %v\n", readErr)
	case waitErr != nil && !errors.As(waitErr, &exit):
		fmt.Fprintf(os.Stderr, "suite: go test: %v\n", waitErr)
	case waitErr != nil || r.failed():
	case os.Getenv("CI") == "true" && len(r.skipped) > 0:
		fmt.Fprintln(os.Stderr, "suite: tests were skipped, and CI=true allows none")
	default:
		return 0
	}
	return 1
}
