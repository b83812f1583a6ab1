package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"sync"
	"time"

	"mindroom/internal/identity"
	"mindroom/internal/script"
	"mindroom/test/rig"
)

const (
	owners    = 5
	ownRuns   = 400
	launchers = 16
)

// many is what two thousand runs cost: in a list, calling steadily, and waiting
// all at once. The runs have no process of their own; their calls come from one
// other process with a connection for each run.
func (b *bench) many(ctx context.Context) ([]Row, error) {
	return b.withRig(ctx, rig.Options{WithoutProcesses: true, Hold: time.Minute}, b.manyOf)
}

func (b *bench) manyOf(ctx context.Context, r *rig.Rig) ([]Row, error) {
	runs, err := launchMany(ctx, r)
	if err != nil {
		return nil, err
	}
	var rows []Row
	for _, m := range []func(context.Context, *rig.Rig, []callerRun) (Row, error){b.listing, b.steady, b.waiting} {
		row, err := m(ctx, r, runs)
		if err != nil {
			return rows, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func owner(i int) string { return fmt.Sprintf("@owner%d:example.org", i) }

// launchMany launches every run, a few at a time.
func launchMany(ctx context.Context, r *rig.Rig) ([]callerRun, error) {
	runs := make([]callerRun, owners*ownRuns)
	errs := make([]error, launchers)
	var wg sync.WaitGroup
	for l := range launchers {
		wg.Go(func() {
			for i := l; i < len(runs) && errs[l] == nil; i += launchers {
				var run *script.Run
				if run, errs[l] = r.Launch(ctx, owner(i%owners), "pass"); errs[l] == nil {
					runs[i].ID = run.ID
					runs[i].Token, errs[l] = r.Capability(run.ID)
				}
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return runs, nil
}

func (b *bench) listing(ctx context.Context, r *rig.Rig, runs []callerRun) (Row, error) {
	var took sample
	for range b.rounds(60) {
		start := time.Now()
		list, err := r.Manager.List(ctx, rig.Owner(owner(0)), false)
		if err != nil {
			return Row{}, err
		}
		if len(list) != ownRuns {
			return Row{}, fmt.Errorf("the list has %d runs, not %d", len(list), ownRuns)
		}
		took = append(took, milliseconds(time.Since(start)))
	}
	return spread(fmt.Sprintf("listing %d runs of one owner", ownRuns), "ms", took).note("of %d runs in all", len(runs)), nil
}

// steady is every run making thirty calls a minute.
func (b *bench) steady(ctx context.Context, r *rig.Rig, runs []callerRun) (Row, error) {
	const rate = 1000
	p := callersPlan{URL: r.URL, Runs: runs, Function: "noop", Rate: rate, Calls: b.rounds(6000)}
	before, err := spent(r)
	if err != nil {
		return Row{}, err
	}
	wait, err := startCallers(ctx, p)
	if err != nil {
		return Row{}, err
	}
	took, err := wait()
	if err != nil {
		return Row{}, err
	}
	after, err := spent(r)
	if err != nil {
		return Row{}, err
	}
	return spread(fmt.Sprintf("steady %d calls a second from %d scripts", rate, len(runs)), "ms", took).within(P99, 25).
		note("each from when it was due, not from when it was sent; %.0f µs server CPU and %.2f commits a call",
			microseconds(after.cpu-before.cpu)/float64(p.Calls), float64(after.store.Commits-before.store.Commits)/float64(p.Calls)), nil
}

// waiting is every run with one call held back at the same time.
func (b *bench) waiting(ctx context.Context, r *rig.Rig, runs []callerRun) (Row, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, time.Minute, fmt.Errorf("not every caller waits within a minute"))
	defer cancel()
	idle, err := settledMemory()
	if err != nil {
		return Row{}, err
	}
	var before, during runtime.MemStats
	runtime.ReadMemStats(&before)
	wait, err := startCallers(ctx, callersPlan{URL: r.URL, Runs: runs, Function: "gate", Calls: len(runs)})
	if err != nil {
		return Row{}, err
	}
	err = r.Kit.Await(ctx, len(runs))
	held, memErr := anonymous(os.Getpid())
	runtime.ReadMemStats(&during)
	r.Kit.Open()
	if _, waitErr := wait(); err == nil {
		err = waitErr
	}
	if err == nil {
		err = memErr
	}
	return value(fmt.Sprintf("memory of %d callers waiting on a held call", len(runs)), "MiB", held-idle).within(Value, 100).
		note("over %.0f MiB with all runs idle; of it %d MiB stacks and %d MiB heap in use",
			idle, (during.StackInuse-before.StackInuse)>>20, (during.HeapInuse-before.HeapInuse)>>20), err
}

// callerRun is a run as its script knows it.
type callerRun struct {
	ID    identity.RunID `json:"id"`
	Token string         `json:"token"`
}
