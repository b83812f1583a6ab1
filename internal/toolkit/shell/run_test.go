package shell

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"mindroom/internal/tool"
)

// Invariant 6.
func TestResults(t *testing.T) {
	t.Parallel()
	b := newBench(t, Supervised{})
	for name, c := range map[string]struct {
		args args
		want string
	}{
		"output":           {args{"args": "echo hi"}, "hi"},
		"both, in order":   {args{"args": "echo 1; echo 2 >&2; echo 3"}, "1\n2\n3"},
		"nonzero":          {args{"args": "echo partial; echo oops >&2; exit 7"}, "Exit code: 7\npartial\noops"},
		"signal":           {args{"args": "echo last; kill -9 $$"}, "Ended by signal: SIGKILL\nlast"},
		"nothing":          {args{"args": "true"}, "(no output)"},
		"tail":             {args{"args": "seq 10", "tail": 2}, "[earlier output is not shown: 8 lines]\n9\n10"},
		"list":             {args{"args": []any{"printf", "%s|", "a b", "$HOME", "*"}}, "a b|$HOME|*|"},
		"here document":    {args{"args": "cat <<'X'\n$a\nX\nread line || echo no input"}, "$a\nno input"},
		"own descriptors":  {args{"args": "[ -e /proc/self/fd/3 ] && echo open || echo closed"}, "closed"},
		"line numbers":     {args{"args": "\n\nnonesuch-program 2>&1 | grep -o 'line [0-9]*'"}, "line 3"},
		"syntax error":     {args{"args": "if"}, "Exit code: 2\n"},
		"comment first":    {args{"args": "# note\necho ok"}, "ok"},
		"pipeline":         {args{"args": "seq 100000 | tail -1"}, "100000"},
		"invalid utf-8":    {args{"args": `printf 'a\xffb'`}, "a\ufffdb"},
		"relative program": {args{"args": []any{"./tool.sh", "x"}}, "tool x"},
		"login shell":      {args{"args": "shopt -q login_shell && echo login"}, "login"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, Supervised{})
			b.script("tool.sh", "#!/bin/sh\necho tool $1\n")
			got := b.ran(c.args)
			if got != c.want && !(strings.HasSuffix(c.want, "\n") && strings.HasPrefix(got, c.want)) {
				t.Errorf("result = %q, want %q", got, c.want)
			}
		})
	}
	if got := b.ran(args{"args": "pwd; touch here"}); got != b.dir {
		t.Errorf("pwd = %q, want %q", got, b.dir)
	}
	if _, err := os.Stat(filepath.Join(b.dir, "here")); err != nil {
		t.Error(err)
	}
	if n := b.recorded(); n != 0 {
		t.Errorf("%d records of finished commands are left", n)
	}
}

func (b *bench) script(name, text string) {
	b.t.Helper()
	if err := os.MkdirAll(b.dir, 0o700); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(b.dir, name), []byte(text), 0o700); err != nil {
		b.t.Fatal(err)
	}
}

func TestLongOutput(t *testing.T) {
	t.Parallel()
	b := newBench(t, Supervised{})
	got := b.ran(args{"args": "seq 200000", "tail": 1000000})
	if !strings.HasPrefix(got, "[earlier output is not shown: 0 lines, and ") || !strings.HasSuffix(got, "\n199999\n200000") {
		t.Errorf("result = %.100q … %q", got, got[len(got)-20:])
	}
	if len(got) > keptBytes+200 {
		t.Errorf("%d bytes are returned", len(got))
	}
}

func TestArgumentsRefused(t *testing.T) {
	t.Parallel()
	b := newBench(t, Supervised{})
	for _, a := range []args{
		{"args": ""}, {"args": "  \n"}, {"args": []any{}}, {"args": []any{""}}, {"args": []any{"ls", 1}}, {"args": 7}, {"args": nil}, {"args": "a\x00b"},
		{"args": []any{"echo", "a\x00"}}, {"args": "true", "tail": 0}, {"args": "true", "timeout": -1}, {"args": "true", "timeout": 1e9},
		{"args": strings.Repeat("#", maxCommand+1)},
	} {
		b.fails(tool.FaultArguments, "run_shell_command", a)
	}
	if m := b.fails(tool.FaultTool, "run_shell_command", args{"args": []any{"nonesuch-program"}}); !strings.Contains(m, "nonesuch-program") {
		t.Errorf("fault = %q", m)
	}
	b.dir = ""
	b.fails(tool.FaultTool, "run_shell_command", args{"args": "true"})
	schema := string(b.functions["run_shell_command"].Schema)
	if !strings.Contains(schema, `"type":["string","array"]`) || !strings.Contains(schema, `"required":["args"]`) {
		t.Errorf("schema = %s", schema)
	}
}

// Invariant 5.
func TestNothingLeaksIn(t *testing.T) {
	t.Parallel()
	b := newBench(t, Supervised{}, "PATH=/usr/bin:/bin:/opt/runtime", "ANTHROPIC_API_KEY=provider-key", "MINDROOM_CONTROL_STATE_PATH=/control", "LC_ALL=C", "HOME=/root")
	got := b.ran(args{"args": "env; tr '\\0' ' ' < /proc/$$/cmdline; echo; echo marker-in-text"})
	for _, secret := range []string{"provider-key", "/control", "/root"} {
		if strings.Contains(got, secret) {
			t.Errorf("a command sees %s:\n%s", secret, got)
		}
	}
	for _, want := range []string{"LC_ALL=C", "HOME=" + b.dir, "MINDROOM_AGENT_WORKSPACE=" + b.dir, "XDG_CACHE_HOME=" + b.dir + "/.cache", "TERM=dumb", ":/opt/runtime"} {
		if !strings.Contains(got, want) {
			t.Errorf("a command does not see %s:\n%s", want, got)
		}
	}
	if strings.Count(got, "marker-in-text") != 1 {
		t.Errorf("the text of the command stands in its arguments:\n%s", got)
	}
}

// enclosure is an inner door that notes what is done with it.
type enclosure struct {
	opened, closed, held int
	parent               tool.Ref
	refuse               error
	left                 tool.Enclosed
	done                 chan struct{}
}

func (e *enclosure) Open(_ context.Context, parent tool.Ref) (tool.Scope, error) {
	if e.refuse != nil {
		return nil, e.refuse
	}
	e.opened++
	e.parent = parent
	return e, nil
}
func (e *enclosure) Env() []string { return []string{"MINDROOM_AGENT_CLI_WINDOW=w1", "TERM=xterm"} }
func (e *enclosure) Path() string  { return "/first of,all" }
func (e *enclosure) Close(context.Context) tool.Enclosed {
	e.closed++
	return e.left
}
func (e *enclosure) Hold() (tool.Enclosed, func()) {
	e.held++
	e.done = make(chan struct{})
	return e.left, sync.OnceFunc(func() { close(e.done) })
}

func TestEnclosure(t *testing.T) {
	t.Parallel()
	b := newBench(t, Supervised{})
	e := &enclosure{}
	b.enclosure = e
	if got := b.ran(args{"args": "echo $MINDROOM_AGENT_CLI_WINDOW $TERM"}); got != "w1 xterm" {
		t.Errorf("result = %q", got)
	}
	if e.opened != 1 || e.closed != 1 || e.parent.ID != "1" {
		t.Errorf("the door was opened %d and closed %d times, under %v", e.opened, e.closed, e.parent)
	}
	if got := b.ran(args{"args": "echo $PATH"}); !strings.HasPrefix(got, "/first of,all:") {
		t.Errorf("the search path is %q", got)
	}
	if got := b.ran(args{"args": []string{"sh", "-c", "echo $PATH"}}); !strings.HasPrefix(got, "/first of,all:") {
		t.Errorf("the search path of a list is %q", got)
	}
	e.left = tool.Enclosed{Err: errors.New("the ledger is gone")}
	if f := b.fails(tool.FaultTool, "run_shell_command", args{"args": "echo hi"}); !strings.Contains(f, "the ledger is gone") || !strings.HasSuffix(f, "\nhi") {
		t.Errorf("fault = %v", f)
	}
	e.left = tool.Enclosed{}
	if got := b.text("check_shell_command", args{}); !strings.HasPrefix(got, "No command of yours") {
		t.Errorf("the list is %q", got)
	}
	// A command that goes on keeps its door until nothing of it is left.
	handle := b.handle(b.ran(args{"args": "sleep 1000", "timeout": 0}))
	if e.closed != 4 || e.held != 1 {
		t.Errorf("closed %d and held %d times, want 4 and 1", e.closed, e.held)
	}
	if got := b.text("check_shell_command", args{}); !strings.HasPrefix(got, handle+": RUNNING (PID ") {
		t.Errorf("the list is %q", got)
	}
	b.text("kill_shell_command", args{"handle": handle})
	if got := b.text("check_shell_command", args{"handle": nil}); !strings.HasPrefix(got, handle+": FINISHED (ended by signal ") {
		t.Errorf("the list is %q", got)
	}
	select {
	case <-e.done:
	case <-time.After(20 * time.Second):
		t.Error("the door of an ended background command stays open")
	}
	e.refuse = errors.New("draining")
	b.fails(tool.FaultUnavailable, "run_shell_command", args{"args": "touch ran"})
	if _, err := os.Stat(filepath.Join(b.dir, "ran")); err == nil {
		t.Error("the command ran without its door")
	}
}

// Invariant 1: the trap of a finished command that looks hung.
func TestReturnsBeforeItsChildren(t *testing.T) {
	t.Parallel()
	for name, form := range map[string]string{
		"job": "NAP 60 & echo hi", "session": "setsid NAP 60 & echo hi", "double fork": "(setsid NAP 60 &) ; echo hi",
		"nohup": "nohup NAP 60 > out.log 2>&1 & echo hi",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, Supervised{})
			program, alive := nap(t)
			begun := time.Now()
			got := b.ran(args{"args": strings.ReplaceAll(form, "NAP", program), "timeout": 20})
			if took := time.Since(begun); took > 10*time.Second {
				t.Errorf("it took %v", took)
			}
			if !strings.HasPrefix(got, "hi\n[The command returned; 1 process it started still runs") {
				t.Errorf("result = %q", got)
			}
			if n := alive(); n != 1 {
				t.Errorf("%d processes are left, want the one that was detached on purpose", n)
			}
			handle := b.handle(got)
			if s := b.text("check_shell_command", args{"handle": handle}); !strings.HasPrefix(s, "Status: RETURNED (exit code 0; 1 process") {
				t.Errorf("status = %q", s)
			}
			// Invariant 2.
			if s := b.text("kill_shell_command", args{"handle": handle}); !strings.HasPrefix(s, "Status: FINISHED (exit code 0, ") {
				t.Errorf("after the end: %q", s)
			}
			if n := alive(); n != 0 {
				t.Errorf("%d processes are left after the end", n)
			}
		})
	}
}

// The same with a time-out that passes first: it goes on, and cancelling the call
// instead ends the whole tree, deaf and detached parts included.
func TestCancelEndsTheTree(t *testing.T) {
	t.Parallel()
	b := newBench(t, Supervised{})
	program, alive := nap(t)
	script := strings.ReplaceAll(`echo begun; (trap "" TERM; exec NAP 1000) & (setsid env -i NAP 1000 &) ; trap "" TERM; NAP 1000`, "NAP", program)
	ctx, cancel := context.WithCancelCause(t.Context())
	done := make(chan tool.Outcome, 1)
	go func() { done <- b.call(ctx, "run_shell_command", args{"args": script}) }()
	until(t, "three processes", func() bool { return alive() == 3 })
	until(t, "its record", func() bool { return b.recorded() == 1 })
	cancel(errors.New("the turn was cancelled"))
	var out tool.Outcome
	select {
	case out = <-done:
	case <-time.After(patience):
		t.Fatal("the call did not return")
	}
	if out.State != tool.StateFailed || out.Fault.Kind != tool.FaultTool || !strings.Contains(out.Fault.Message, "cancelled") || !strings.Contains(out.Fault.Message, "begun") {
		t.Errorf("outcome = %s %v", out.State, out.Fault)
	}
	if n := alive(); n != 0 {
		t.Errorf("%d processes are left", n)
	}
	if n := b.recorded(); n != 0 {
		t.Errorf("%d records are left", n)
	}
}

func TestTimeoutGoesOn(t *testing.T) {
	t.Parallel()
	b := newBench(t, Supervised{})
	got := b.ran(args{"args": "mkfifo gate; echo first; read line < gate; echo $line; exit 3", "timeout": 0.5})
	if !strings.HasPrefix(got, "Still running after 500ms (PID ") {
		t.Fatalf("result = %q", got)
	}
	handle := b.handle(got)
	if s := b.await(handle, "first"); !strings.HasPrefix(s, "Status: RUNNING (PID ") {
		t.Errorf("status = %q", s)
	}
	gate, err := os.OpenFile(filepath.Join(b.dir, "gate"), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer gate.Close()
	if _, err := gate.WriteString("second\n"); err != nil {
		t.Fatal(err)
	}
	if s := b.await(handle, "FINISHED"); !strings.HasPrefix(s, "Status: FINISHED (exit code 3, ran for ") || !strings.HasSuffix(s, "\nfirst\nsecond") {
		t.Errorf("status = %q", s)
	}
	// A finished one can be killed again and again; it stays what it was.
	if s := b.text("kill_shell_command", args{"handle": handle, "force": true}); !strings.Contains(s, "exit code 3") {
		t.Errorf("status = %q", s)
	}
}
