package main

import (
	"context"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"mindroom/test/rig"
)

// firstLine writes when it ran, by the clock that all processes share.
const firstLine = "import time; print(time.time_ns())"

// launch is the way from a launch to the first line of user code, beside the
// interpreter alone. The two alternate, so that both meet the same machine.
func (b *bench) launch(ctx context.Context) ([]Row, error) {
	return b.withRig(ctx, rig.Options{}, b.launchOf)
}

func (b *bench) launchOf(ctx context.Context, r *rig.Rig) ([]Row, error) {
	var bare, launched, more sample
	for i := range b.rounds(40) + 1 {
		without, err := bareStart(ctx, r.Python)
		if err != nil {
			return nil, err
		}
		with, err := launchStart(ctx, r)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			continue // it filled the caches
		}
		bare = append(bare, milliseconds(without))
		launched = append(launched, milliseconds(with))
		more = append(more, milliseconds(with-without))
	}
	return []Row{
		spread("bare interpreter (-I -u) to the first line", "ms", bare),
		spread("launch of a script to its first line", "ms", launched),
		spread("what a launch adds to the interpreter", "ms", more).within(P50, 25).note("paired differences, %d pairs", len(more)),
	}, nil
}

func bareStart(ctx context.Context, python string) (time.Duration, error) {
	start := time.Now()
	out, err := exec.CommandContext(ctx, python, "-I", "-u", "-c", firstLine).Output()
	if err != nil {
		return 0, fmt.Errorf("the bare interpreter: %w", err)
	}
	return since(start, string(out))
}

func launchStart(ctx context.Context, r *rig.Rig) (time.Duration, error) {
	start := time.Now()
	run, err := r.Launch(ctx, "@bench:example.org", firstLine)
	if err != nil {
		return 0, err
	}
	out, err := r.Finish(ctx, run.ID)
	if err != nil {
		return 0, err
	}
	return since(start, out)
}

func since(start time.Time, nanoseconds string) (time.Duration, error) {
	n, err := strconv.ParseInt(strings.TrimSpace(nanoseconds), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("the first line wrote no time: %w", err)
	}
	return time.Duration(n - start.UnixNano()), nil
}
