package shell

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mindroom/internal/tool"
)

// Invariant 3.
func TestHandlesAreTheirOwners(t *testing.T) {
	t.Parallel()
	b := newBench(t, Supervised{})
	handle := b.handle(b.ran(args{"args": "sleep 1000", "timeout": 0}))
	mine := b.who
	unknown := strings.Replace(b.fails(tool.FaultTool, "check_shell_command", args{"handle": "shell:00000000"}), "shell:00000000", "H", 1)
	for _, change := range []func(){
		func() { b.who.Requester = "@eve:example.org" }, func() { b.who.Agent = "other" },
	} {
		change()
		for _, function := range []string{"check_shell_command", "kill_shell_command"} {
			if got := strings.Replace(b.fails(tool.FaultTool, function, args{"handle": handle}), handle, "H", 1); got != unknown {
				t.Errorf("a foreign handle: %q, an unknown one: %q", got, unknown)
			}
		}
		if got := b.text("check_shell_command", args{}); strings.Contains(got, handle) {
			t.Errorf("it stands in a foreign list: %q", got)
		}
		b.who = mine
	}
	if s := b.text("check_shell_command", args{"handle": handle}); !strings.HasPrefix(s, "Status: RUNNING") {
		t.Errorf("status = %q", s)
	}
	for _, h := range []string{"shell:", handle + " ", strings.ToUpper(handle), strings.Repeat("x", 1000)} {
		b.fails(tool.FaultTool, "check_shell_command", args{"handle": h})
	}
	if s := b.text("kill_shell_command", args{"handle": handle, "force": true}); !strings.HasPrefix(s, "Status: FINISHED (ended by signal SIGKILL") {
		t.Errorf("status = %q", s)
	}
}

// Invariant 7, on real trees.
func TestCloseEndsEverything(t *testing.T) {
	t.Parallel()
	b := newBench(t, Supervised{})
	program, alive := nap(t)
	script := strings.ReplaceAll(`(setsid env -i NAP 1000 &); trap "" TERM; NAP 1000`, "NAP", program)
	b.ran(args{"args": script, "timeout": 0})
	b.ran(args{"args": script, "timeout": 0})
	until(t, "four processes", func() bool { return alive() == 4 })
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := b.processes.Close(ctx); err != nil {
		t.Fatal(err)
	}
	if n := alive(); n != 0 {
		t.Errorf("%d processes are left", n)
	}
	b.fails(tool.FaultTool, "run_shell_command", args{"args": "true"})
	if err := b.processes.Close(ctx); err != nil {
		t.Errorf("a second Close: %v", err)
	}
}

// fake starts processes that end when the test says so.
type fake struct {
	mu    sync.Mutex
	all   []*fakeProcess
	deaf  bool // ending one has no effect
	error error
}

type fakeProcess struct {
	deaf         bool
	exited, dead chan struct{}
	once         sync.Once
	closed       bool
}

func (f *fake) Start(context.Context, Command) (Process, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.error != nil {
		return nil, f.error
	}
	p := &fakeProcess{exited: make(chan struct{}), dead: make(chan struct{}), deaf: f.deaf}
	f.all = append(f.all, p)
	return p, nil
}

func (p *fakeProcess) die()                    { p.once.Do(func() { close(p.exited); close(p.dead) }) }
func (p *fakeProcess) Exited() <-chan struct{} { return p.exited }
func (p *fakeProcess) Dead() <-chan struct{}   { return p.dead }
func (p *fakeProcess) State(context.Context) (State, error) {
	select {
	case <-p.exited:
		code := 0
		return State{Exited: true, Code: &code}, nil
	default:
		return State{Procs: 1}, nil
	}
}
func (p *fakeProcess) Output() (Output, error) { return Output{Text: "out\n"}, nil }
func (p *fakeProcess) End(context.Context, bool) error {
	if !p.deaf {
		p.die()
	}
	return nil
}
func (p *fakeProcess) Close(ctx context.Context) error {
	if p.deaf {
		select {
		case <-p.dead:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	p.die()
	p.closed = true
	return nil
}

// Invariant 4.
func TestMaxRunning(t *testing.T) {
	t.Parallel()
	f := &fake{}
	b := newBench(t, f)
	var last string
	for range MaxRunning {
		last = b.handle(b.ran(args{"args": "x", "timeout": 0}))
	}
	if m := b.fails(tool.FaultTool, "run_shell_command", args{"args": "x", "timeout": 0}); !strings.Contains(m, "16 commands") {
		t.Errorf("fault = %q", m)
	}
	other := *b
	other.who.Requester = "@bob:example.org"
	other.ran(args{"args": "x", "timeout": 0})
	b.text("kill_shell_command", args{"handle": last})
	b.ran(args{"args": "x", "timeout": 0})
	// A command that was not started takes no place.
	b.text("kill_shell_command", args{"handle": b.processes.records[0].handle})
	f.error = errors.New("no fork")
	b.fails(tool.FaultTool, "run_shell_command", args{"args": "x"})
	f.error = nil
	b.ran(args{"args": "x", "timeout": 0})
}

func TestFinishedAreForgotten(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &fake{}
		b := newBench(t, f)
		handle := b.handle(b.ran(args{"args": "x", "timeout": 0}))
		f.all[0].die()
		synctest.Wait()
		if !f.all[0].closed {
			t.Error("a finished command holds its process")
		}
		time.Sleep(Retention - 1)
		if s := b.text("check_shell_command", args{"handle": handle}); !strings.HasPrefix(s, "Status: FINISHED (exit code 0") {
			t.Errorf("just before: %q", s)
		}
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		b.fails(tool.FaultTool, "check_shell_command", args{"handle": handle})
	})
}

func TestOldestFinishedGoFirst(t *testing.T) {
	t.Parallel()
	f := &fake{}
	b := newBench(t, f)
	running := b.handle(b.ran(args{"args": "x", "timeout": 0}))
	var handles []string
	for range maxKept + 5 {
		handle := b.handle(b.ran(args{"args": "x", "timeout": 0}))
		b.text("kill_shell_command", args{"handle": handle})
		handles = append(handles, handle)
	}
	b.text("check_shell_command", args{"handle": running})
	b.text("check_shell_command", args{"handle": handles[len(handles)-1]})
	b.fails(tool.FaultTool, "check_shell_command", args{"handle": handles[0]})
	if n := len(b.processes.records); n > maxKept+1 {
		t.Errorf("%d records are kept", n)
	}
}

// A tree that cannot be shown to be gone makes its call indeterminate, and
// Close says so instead of claiming success.
func TestUnprovenEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &fake{deaf: true}
		b := newBench(t, f)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		out := b.call(ctx, "run_shell_command", args{"args": "x"})
		if out.State != tool.StateIndeterminate {
			t.Errorf("outcome = %s %v", out.State, out.Fault)
		}
		short, stop := context.WithTimeout(context.Background(), 1)
		defer stop()
		if err := b.processes.Close(short); err == nil {
			t.Error("Close claims that nothing is left")
		}
		f.all[0].die()
	})
}
