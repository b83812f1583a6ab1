package main

import (
	"context"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"mindroom/internal/config/reload"
	"mindroom/internal/control"
	"mindroom/internal/identity"
	"mindroom/internal/script"
	"mindroom/internal/tool"
)

// house is a runtime's side of the control socket with runs in memory.
type house struct {
	mu      sync.Mutex
	changed chan struct{}
	runs    []*script.Run
	output  map[identity.RunID]string
	waiting map[identity.RunID]bool
}

// id is a run's id made of one digit.
func id(digit string) identity.RunID {
	text := string(identity.KindRun) + "-"
	for range 32 {
		text += digit
	}
	return identity.RunID(text)
}

func newHouse() *house {
	hour := func(n int) time.Time { return time.Date(2026, 3, 1, n, 0, 0, 0, time.UTC) }
	run := func(digit, name string, state script.State, at int) *script.Run {
		r := &script.Run{
			ID: id(digit), Name: name, State: state, CreatedAt: hour(at), StartedAt: hour(at), MaxCallsPerMinute: 60, MaxRuntime: 48 * time.Hour,
			Who:    identity.Execution{Agent: "keeper", Requester: "@ann:example.org", Room: "!room:example.org"},
			Grants: []tool.Name{{Toolkit: "website", Function: "read_url"}, {Toolkit: "file", Function: "read_file"}},
		}
		if state.Terminal() {
			code := 0
			r.FinishedAt, r.ExitCode = hour(at+1), &code
		}
		return r
	}
	return &house{
		changed: make(chan struct{}),
		runs: []*script.Run{
			run("f", "odd\x1b[31mname", script.Running, 6), run("1", "watcher", script.Running, 5), run("2", "watcher", script.Exited, 4),
			run("3", "twin", script.Running, 3), run("4", "twin", script.Running, 2), run("5", "stubborn", script.Running, 1),
		},
		output:  map[identity.RunID]string{id("1"): "first line\n", id("2"): "old line\n"},
		waiting: map[identity.RunID]bool{},
	}
}

func (h *house) All(_ context.Context, finished bool, limit int) ([]*script.Run, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	var list []*script.Run
	for _, r := range h.runs {
		if (finished || !r.State.Terminal()) && (limit == 0 || len(list) < limit) {
			list = append(list, r)
		}
	}
	return list, nil
}

// Trouble is what the stubborn run is left with.
func (*house) Trouble(run identity.RunID) *script.Trouble {
	if run == id("5") {
		return &script.Trouble{What: "its folder cannot be removed", Restore: "make it writable"}
	}
	return nil
}

func (h *house) Find(_ context.Context, id string) (*script.Run, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, r := range h.runs {
		if string(r.ID) == id {
			same := *r
			return &same, nil
		}
	}
	return nil, &script.Error{Kind: script.KindNotFound, Message: "no run " + id + " is known"}
}

func (h *house) Standing(context.Context, identity.RunID) (script.Standing, error) {
	return script.Standing{CallCounts: script.CallCounts{Completed: 1}}, nil
}

func (h *house) Output(ctx context.Context, r *script.Run, offset int64) (script.Output, error) {
	for {
		h.mu.Lock()
		now, _ := h.named(r.ID)
		text, changed := h.output[r.ID], h.changed
		total := int64(len(text))
		if now.State.Terminal() {
			h.mu.Unlock()
			return script.Output{Text: text, Total: total}, nil
		}
		if from := max(offset, 0); from < total {
			h.mu.Unlock()
			return script.Output{Text: text[from:], Offset: from, Total: total, Live: true}, nil
		}
		h.waiting[r.ID] = true
		h.tell()
		h.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return script.Output{Live: true}, nil
		}
	}
}

func (h *house) CancelAny(_ context.Context, id string, force bool) (*script.Run, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	r, ok := h.named(identity.RunID(id))
	switch {
	case !ok:
		return nil, &script.Error{Kind: script.KindNotFound, Message: "no run " + id + " is known"}
	case r.Name == "stubborn" && !force:
		return nil, &script.Error{Kind: script.KindUnconfirmed, Message: "the end is not confirmed yet; it is tried again", Retryable: true}
	}
	r.State, r.Reason, r.FinishedAt = script.Cancelled, script.ReasonOperator, r.CreatedAt.Add(time.Minute)
	h.tell()
	return r, nil
}

// named is called with the lock.
func (h *house) named(id identity.RunID) (*script.Run, bool) {
	for _, r := range h.runs {
		if r.ID == id {
			return r, true
		}
	}
	return nil, false
}

// tell wakes whoever waits; it is called with the lock.
func (h *house) tell() {
	close(h.changed)
	h.changed = make(chan struct{})
}

// first is the newest run of a name.
func (h *house) first(name string) *script.Run {
	for _, r := range h.runs {
		if r.Name == name {
			return r
		}
	}
	panic("no run is named " + name)
}

func (h *house) write(name, text string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.output[h.first(name).ID] += text + "\n"
	h.waiting[h.first(name).ID] = false
	h.tell()
}

func (h *house) finish(name string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	code, r := 3, h.first(name)
	r.State, r.ExitCode, r.FinishedAt = script.Exited, &code, r.CreatedAt.Add(time.Minute)
	h.output[r.ID] += "last words\n"
	h.tell()
}

func (h *house) awaitFollower(ts *testscript.TestScript, name string) {
	late := time.After(20 * time.Second)
	for {
		h.mu.Lock()
		waits, changed := h.waiting[h.first(name).ID], h.changed
		h.mu.Unlock()
		if waits {
			return
		}
		select {
		case <-changed:
		case <-late:
			ts.Fatalf("nobody follows %s", name)
		}
	}
}

// houses are the runtimes of scripts, by their working folders.
var houses sync.Map

func houseOf(ts *testscript.TestScript) *house {
	h, ok := houses.Load(ts.Getenv("WORK"))
	if !ok {
		ts.Fatalf("start a runtime first")
	}
	return h.(*house)
}

func serveControl(ts *testscript.TestScript, _ bool, args []string) {
	dir := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(dir, 0o700))
	h := newHouse()
	s, err := control.Listen(dir, h, func() reload.Standing { return reload.Standing{Number: 1} })
	ts.Check(err)
	houses.Store(ts.Getenv("WORK"), h)
	over := make(chan error, 1)
	go func() { over <- s.Serve(context.Background()) }()
	ts.Defer(func() {
		if err := s.Shutdown(context.Background()); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		ts.Check(<-over)
	})
}
