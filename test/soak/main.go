package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"mindroom/test/binary"
)

const usage = `Usage: soak [-minutes N] [-race FILE] [-json FILE] [-dir DIR]

Loads a primary with real scripts and says what grows, is lost or is left.

  -minutes N  how long the load lasts, starts and stops not counted (default 10):
              three quarters on this build, one on the race build
  -race FILE  this program built with the race detector; without it all of the
              time would go to this build, so it is required
  -json FILE  write the figures as JSON too; - is standard output, after the table
  -dir DIR    work on the disk of this folder (default: the temporary folder)

Examples:
  make soak
  make soak MINUTES=2

EXIT STATUS
  0  nothing grew beyond its bound, nothing was lost, nothing is left
  1  something was violated (the table says what), or nothing could be measured
  2  wrong use
`

func main() {
	if len(os.Args) == 2 && os.Args[1] == houseMode {
		os.Exit(runHouse(os.Stdin, os.Stdout))
	}
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

func run(args []string, out, errs io.Writer) int {
	flags := flag.NewFlagSet("soak", flag.ContinueOnError)
	flags.SetOutput(errs)
	flags.Usage = func() { fmt.Fprint(errs, usage) }
	minutes := flags.Float64("minutes", 10, "")
	race := flags.String("race", "", "")
	asJSON := flags.String("json", "", "")
	dir := flags.String("dir", "", "")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return 0
		}
		return 2
	}
	if flags.NArg() > 0 || *minutes <= 0 || *race == "" {
		flags.Usage()
		return 2
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	results, err := soak(ctx, time.Duration(*minutes*float64(time.Minute)), *race, *dir, out)
	if err == nil && *asJSON != "" {
		err = write(*asJSON, results, out)
	}
	if err != nil {
		fmt.Fprintf(errs, "soak: %v\n", err)
		return 1
	}
	violated := 0
	for _, r := range results {
		violated += len(r.Violations)
	}
	if violated > 0 {
		fmt.Fprintf(errs, "soak: %d violations: see the table\n", violated)
		return 1
	}
	fmt.Fprintln(out, "\nsoak: nothing grew, nothing was lost, nothing is left")
	return 0
}

// soak plays all phases, one after another.
func soak(ctx context.Context, total time.Duration, race, parent string, out io.Writer) ([]Result, error) {
	if _, err := os.Stat(race); err != nil {
		return nil, fmt.Errorf("the race build is missing: use make soak, which builds it: %w", err)
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(parent, "mindroom-soak-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	remove, err := binary.Supervise()
	if err != nil {
		return nil, err
	}
	defer remove()
	fmt.Fprintf(out, "%s on %d cores, %s of load in all\n", runtime.Version(), runtime.NumCPU(), total)
	var results []Result
	for i, p := range plans(total) {
		program := self
		if p.Race {
			program = race
		}
		p.Dir = filepath.Join(dir, fmt.Sprintf("phase%d", i))
		if err := os.Mkdir(p.Dir, 0o700); err != nil {
			return nil, err
		}
		r, err := play(ctx, program, p, out)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.Name, err)
		}
		r.print(out)
		results = append(results, r)
		// The next phase has the disk for itself.
		if err := os.RemoveAll(p.Dir); err != nil {
			return nil, err
		}
	}
	return results, nil
}

func write(path string, results []Result, out io.Writer) error {
	raw, err := json.MarshalIndent(map[string]any{"go": runtime.Version(), "cores": runtime.NumCPU(), "phases": results}, "", "  ")
	if err != nil {
		return err
	}
	if path == "-" {
		_, err = out.Write(append(raw, '\n'))
		return err
	}
	return os.WriteFile(path, append(raw, '\n'), 0o644)
}
