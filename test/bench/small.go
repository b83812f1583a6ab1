package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"mindroom/internal/store/storetest"
	"mindroom/test/rig"
)

// sizes are those of the built binaries.
func (b *bench) sizes(context.Context) ([]Row, error) {
	var rows []Row
	for _, f := range []struct {
		name   string
		budget float64
	}{{"mindroom", 60}, {"mindroom-supervise", 0}, {"mindroom-agent", 6.5}} {
		what := "size of " + f.name
		info, err := os.Stat(filepath.Join(b.bin, f.name))
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("%s is not built: run make build, or say where it is with -bin", f.name)
		}
		if err != nil {
			rows = append(rows, missing(what, err))
			continue
		}
		row := value(what, "MB", float64(info.Size())/1e6)
		if f.budget > 0 {
			row = row.within(Value, f.budget)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// disk is the price of durability below everything else.
func (b *bench) disk(context.Context) ([]Row, error) {
	dir, err := b.folder("disk")
	if err != nil {
		return nil, err
	}
	p50, p99, err := storetest.Fsync(dir, b.rounds(400))
	if err != nil {
		return nil, err
	}
	row := Row{What: "bare fsync of 4 KiB", Unit: "ms", Figures: map[Figure]float64{P50: milliseconds(p50), P99: milliseconds(p99)}}
	return []Row{row.note("the disk below every durable write; the rows below contain it")}, nil
}

// surface is what a call pays to find out which tools its agent has now.
func (b *bench) surface(ctx context.Context) ([]Row, error) {
	return b.withRig(ctx, rig.Options{WithoutProcesses: true}, b.surfaceOf)
}

func (b *bench) surfaceOf(_ context.Context, r *rig.Rig) ([]Row, error) {
	const batch = 1000
	resolve := func() error {
		for range batch {
			if _, err := r.Registry.Surface(r.Snapshots.Current(), rig.Agent); err != nil {
				return err
			}
		}
		return nil
	}
	if err := resolve(); err != nil {
		return nil, err
	}
	built := r.Kit.Builds()
	var took sample
	for range b.rounds(200) {
		start := time.Now()
		if err := resolve(); err != nil {
			return nil, err
		}
		took = append(took, microseconds(time.Since(start))/batch)
	}
	return []Row{
		spread("tool surface of one agent, resolved per call", "µs", took).within(P50, 20).note("means of %d resolutions each", batch),
		value("toolkits rebuilt by those resolutions", "", float64(r.Kit.Builds()-built)).within(Value, 0),
	}, nil
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
func microseconds(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }
