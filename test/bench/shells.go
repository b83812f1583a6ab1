package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"
)

// parallelShells are the commands of one response that run at once.
const parallelShells = 64

// callsOfShell stays below what one response may call: 1024 receipts.
const callsOfShell = 15

// callingScript calls a function that costs nothing, again and again, as a command of an
// agent does: a process a call.
const callingScript = `n=0
while [ "$n" -lt "$CALLS" ]; do
  n=$((n + 1))
  "$AGENT" tools call bench noop --json "{\"n\":$n}" >/dev/null || exit
done`

// shells are calls of parallel shell commands through the real program.
func (b *bench) shells(ctx context.Context) ([]Row, error) {
	agent := filepath.Join(b.bin, "mindroom-agent")
	if _, err := os.Stat(agent); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("mindroom-agent is not built: run make build, or say where it is with -bin")
	}
	return b.withResponse(ctx, func(ctx context.Context, p *response) ([]Row, error) {
		calls := b.rounds(callsOfShell)
		before, err := spent(p.rig)
		if err != nil {
			return nil, err
		}
		if err := p.run(ctx, agent, calls); err != nil {
			return nil, err
		}
		after, err := spent(p.rig)
		if err != nil {
			return nil, err
		}
		n := float64(parallelShells * calls)
		at := fmt.Sprintf(", %d shells at once", parallelShells)
		return []Row{
			value("mindroom-agent calls a second"+at, "calls/s", n/after.at.Sub(before.at).Seconds()).note("%.0f calls, each a process of its own; processes, shells and server share the cores", n),
			value("server CPU per call of mindroom-agent"+at, "µs", microseconds(after.cpu-before.cpu)/n),
			value("commits per call of mindroom-agent"+at, "", float64(after.store.Commits-before.store.Commits)/n),
		}, nil
	})
}

// shellsWithin bounds all of them; only a fault takes so long.
const shellsWithin = 3 * time.Minute

// run starts the shells, each with a window of its own, and waits for them.
func (p *response) run(ctx context.Context, agent string, calls int) error {
	ctx, cancel := context.WithTimeout(ctx, shellsWithin)
	defer cancel()
	failed := make([]error, parallelShells)
	var all sync.WaitGroup
	for i := range parallelShells {
		window, err := p.open(ctx)
		if err != nil {
			failed[i] = err
			continue
		}
		all.Go(func() {
			var said bytes.Buffer
			cmd := exec.CommandContext(ctx, "sh", "-c", callingScript)
			cmd.Env = append(append(os.Environ(), window.Env()...), fmt.Sprintf("CALLS=%d", calls), "AGENT="+agent)
			cmd.Stderr = &said
			if err := cmd.Run(); err != nil {
				failed[i] = fmt.Errorf("shell %d: %w: %.300s", i, err, said.String())
			}
			window.Close(ctx)
		})
	}
	all.Wait()
	return errors.Join(failed...)
}
