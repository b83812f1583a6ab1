package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"mindroom/test/homeserver"
)

const (
	agents = 10
	// settling is how long a primary is left alone before its idle memory is read.
	settling = 10 * time.Second
	// readyWithin bounds a start; the first one registers accounts and makes rooms.
	readyWithin = time.Minute
)

// primary is the built binary as a process, with ten agents, against a real
// homeserver.
func (b *bench) primary(ctx context.Context) (rows []Row, err error) {
	if _, err := os.Stat(filepath.Join(b.bin, "mindroom")); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("mindroom is not built: run make build, or say where it is with -bin")
	}
	row, err := b.initialisation(ctx)
	if err != nil {
		return nil, err
	}
	rows = append(rows, row)
	dir, err := b.folder("primary")
	if err != nil {
		return rows, err
	}
	server, err := homeserver.Start(ctx, homeserver.Options{Progress: func(line string) { fmt.Fprintln(os.Stderr, line) }})
	if err != nil {
		return rows, err
	}
	defer server.Stop()
	trips, err := watchHomeserver(server.URL)
	if err != nil {
		return rows, err
	}
	defer func() {
		stop, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		// A long poll that outlives its primary is cut; that is no fault here.
		if closeErr := trips.close(stop); !errors.Is(closeErr, context.DeadlineExceeded) {
			err = errors.Join(err, closeErr)
		}
	}()
	h := house{bin: b.bin, dir: dir, homeserver: trips}
	if err := h.lay(); err != nil {
		return rows, err
	}
	started, err := h.starts(ctx, b.rounds(100)/20+1)
	rows = append(rows, started...)
	if err != nil {
		return rows, err
	}
	memory, err := h.idle(ctx)
	if err != nil {
		return rows, err
	}
	return append(rows, memory), nil
}

// house is where a primary lives.
type house struct {
	bin, dir   string
	homeserver *roundTrips
}

func (h house) lay() error {
	var c strings.Builder
	c.WriteString("models: {default: {provider: scripted, id: offline}}\nagents:\n")
	for i := range agents {
		fmt.Fprintf(&c, "  agent%d: {display_name: Agent %d, model: default, rooms: [bench], tools: [script, website, matrix_message]}\n", i, i)
	}
	c.WriteString("authorization: {default_room_access: true}\ndefaults: {tools: []}\n")
	return os.WriteFile(filepath.Join(h.dir, "config.yaml"), []byte(c.String()), 0o600)
}

// starts starts the primary n times over the accounts and rooms that a first
// start made.
func (h house) starts(ctx context.Context, n int) ([]Row, error) {
	var total, before, own sample
	requests := 0
	for i := range n + 1 {
		p, err := h.start(ctx)
		if err != nil {
			return nil, err
		}
		if err := p.stop(); err != nil {
			return nil, err
		}
		if i == 0 {
			continue
		}
		first, busy, count := h.homeserver.during(p.began, p.ready)
		all := p.ready.Sub(p.began)
		total = append(total, milliseconds(all))
		before = append(before, milliseconds(first.Sub(p.began)))
		own = append(own, milliseconds(all-busy))
		requests = count
	}
	return []Row{
		spread(fmt.Sprintf("exec to ready with %d agents, all in all", agents), "ms", total).
			note("a start over existing accounts and rooms; %d requests to the homeserver, which runs on the same cores", requests),
		spread("exec to the first request to the homeserver", "ms", before),
		spread("exec to ready, homeserver round trips excluded", "ms", own).within(P50, 200).
			note("the time in which no request was under way at the homeserver; %d starts", n),
	}, nil
}

// idle is the memory of a primary that nobody speaks to.
func (h house) idle(ctx context.Context) (row Row, err error) {
	p, err := h.start(ctx)
	if err != nil {
		return Row{}, err
	}
	defer func() { err = errors.Join(err, p.stop()) }()
	select {
	case <-time.After(settling):
	case <-ctx.Done():
		return Row{}, context.Cause(ctx)
	}
	memory, err := anonymous(p.cmd.Process.Pid)
	if err != nil {
		return Row{}, err
	}
	return value(fmt.Sprintf("anonymous memory of a primary with %d agents idle", agents), "MiB", memory).within(Value, 40).
		note("RssAnon %s after it was ready", settling), nil
}
