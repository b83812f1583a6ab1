package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"mindroom/test/binary"
	"mindroom/test/rig"
)

const usage = `Usage: bench [-bin DIR] [-json FILE] [-dir DIR] [-only TEXT] [-quick] [-strict]

Measures the budget table on this machine, now.

  -bin DIR    where make build put the binaries (default bin)
  -json FILE  write the table as JSON too
  -dir DIR    measure on the disk of this folder (default: the temporary folder)
  -only TEXT  only the groups whose name contains it, such as "discovery"
  -quick      fewer rounds: shows that everything can be measured, not how fast
  -strict     exit 1 when a row is over its budget or could not be measured

Examples:
  make bench
  go run ./test/bench -quick
  go run ./test/bench -only discovery

EXIT STATUS
  0  the table was printed
  1  with -strict: a row is over its budget or missing; else: the table could
     not be written
  2  wrong use
`

func main() {
	if len(os.Args) == 2 && os.Args[1] == callersMode {
		os.Exit(runCallers(os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(run())
}

func run() int {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.Usage = func() { fmt.Fprint(os.Stderr, usage) }
	var b bench
	flags.StringVar(&b.bin, "bin", "bin", "")
	out := flags.String("json", "", "")
	dir := flags.String("dir", "", "")
	flags.StringVar(&b.only, "only", "", "")
	flags.BoolVar(&b.quick, "quick", false, "")
	strict := flags.Bool("strict", false, "")
	if err := flags.Parse(os.Args[1:]); err != nil {
		if err == flag.ErrHelp {
			return 0
		}
		return 2
	}
	if flags.NArg() > 0 {
		flags.Usage()
		return 2
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	rows, err := b.measure(ctx, *dir)
	if err == nil && *out != "" {
		err = b.write(*out, rows)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "bench: %v\n", err)
		return 1
	}
	bad := 0
	for _, r := range rows {
		if r.Verdict == Over || r.Verdict == Missing {
			bad++
		}
	}
	if *strict && bad > 0 {
		fmt.Fprintf(os.Stderr, "bench: %d rows are over their budget or missing\n", bad)
		return 1
	}
	return 0
}

// bench is one measuring of the whole table.
type bench struct {
	// bin holds the built binaries; dir is a folder for everything else.
	bin, dir string
	quick    bool
	// only is in the name of every group that is measured; empty is in all.
	only string
	// load is the machine's before anything was measured.
	load string
}

// rounds is how often to do something: few times when only a smoke test is
// wanted.
func (b *bench) rounds(full int) int {
	if b.quick {
		return max(full/20, 2)
	}
	return full
}

// folder makes a fresh folder.
func (b *bench) folder(name string) (string, error) { return os.MkdirTemp(b.dir, name+"-") }

// withRig measures on a rig of its own and closes it.
func (b *bench) withRig(ctx context.Context, o rig.Options, measure func(context.Context, *rig.Rig) ([]Row, error)) ([]Row, error) {
	dir, err := b.folder("rig")
	if err != nil {
		return nil, err
	}
	r, err := rig.Open(ctx, dir, o)
	if err != nil {
		return nil, err
	}
	rows, err := measure(ctx, r)
	return rows, errors.Join(err, r.Close())
}

// measure prints each group as it is measured and returns all rows. Its error
// is of what every group needs; a group that fails is a row that says so.
func (b *bench) measure(ctx context.Context, parent string) (rows []Row, err error) {
	if b.bin, err = filepath.Abs(b.bin); err != nil {
		return nil, err
	}
	if b.dir, err = os.MkdirTemp(parent, "mindroom-bench-"); err != nil {
		return nil, err
	}
	defer os.RemoveAll(b.dir)
	// The supervisor must come from the same build as this program.
	remove, err := binary.Supervise()
	if err != nil {
		return nil, err
	}
	defer remove()
	began := time.Now()
	b.load = load()
	fmt.Printf("%s on %d cores, %s/%s; load of the machine before: %s\n\n", runtime.Version(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, b.load)
	for _, g := range []struct {
		name    string
		measure func(context.Context) ([]Row, error)
	}{
		{"binaries", b.sizes},
		{"turn CLI", b.agentCLI},
		{"disk", b.disk},
		{"tool surface", b.surface},
		{"calls of scripts", b.calls},
		{"a person's decision", b.asking},
		{"launch of a script", b.launch},
		{"many runs", b.many},
		{"requests in both modes", b.requests},
		{"discovery", b.discovery},
		{"parallel shells", b.shells},
		{"primary", b.primary},
	} {
		if !strings.Contains(g.name, b.only) {
			continue
		}
		got, err := g.measure(ctx)
		if ctx.Err() != nil {
			return nil, fmt.Errorf("interrupted while measuring: %s", g.name)
		}
		if err != nil {
			got = append(got, missing(g.name, err))
		}
		for _, r := range got {
			r = r.judge()
			if err := r.print(os.Stdout); err != nil {
				return nil, err
			}
			rows = append(rows, r)
		}
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("no group of figures has %q in its name", b.only)
	}
	fmt.Printf("\nMeasured in %s.\n", time.Since(began).Round(time.Second))
	return rows, nil
}

func (b *bench) write(path string, rows []Row) error {
	raw, err := json.MarshalIndent(map[string]any{
		"go": runtime.Version(), "cores": runtime.NumCPU(), "system": runtime.GOOS + "/" + runtime.GOARCH, "load_before": b.load, "rows": rows,
	}, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(raw, '\n'), 0o644)
}
