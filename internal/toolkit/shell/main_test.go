package shell

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"mindroom/internal/canonical"
	"mindroom/internal/identity"
	"mindroom/internal/lifecycle"
	"mindroom/internal/tool"
	"mindroom/test/await"
	"mindroom/test/binary"
)

// patience bounds every wait in these tests; it is never slept.
const patience = 30 * time.Second

// TestMain builds the real supervisor once for all tests.
func TestMain(m *testing.M) { os.Exit(binary.Main(m, binary.Supervisor)) }

// bench is a workspace, a table of commands and the toolkit's functions.
type bench struct {
	t         *testing.T
	dir       string
	who       identity.Execution
	enclosure tool.Enclosure
	minimal   bool // the shell is Bash of minimal mode
	processes *Processes
	functions map[string]tool.Function
}

func newBench(t *testing.T, commands Commands, environ ...string) *bench {
	t.Helper()
	group := lifecycle.New(context.Background())
	b := &bench{
		t: t, dir: filepath.Join(t.TempDir(), "workspace"), functions: map[string]tool.Function{},
		who: identity.InThread("coder", "@anna:example.org", "!r:example.org", ""), processes: NewProcesses(commands, group),
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := b.processes.Close(ctx); err != nil {
			t.Errorf("close: %v", err)
		}
		if err := group.Stop(ctx); err != nil {
			t.Errorf("stop: %v", err)
		}
	})
	if environ == nil {
		environ = os.Environ()
	}
	functions, err := New(b.processes, environ).Build(tool.Env{})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range functions {
		b.functions[f.Name.Function] = f
	}
	return b
}

type args map[string]any

func (b *bench) call(ctx context.Context, function string, a args) tool.Outcome {
	b.t.Helper()
	doc, err := canonical.FromValue(map[string]any(a))
	if err != nil {
		b.t.Fatal(err)
	}
	f, ok := b.functions[function]
	if !ok {
		b.t.Fatalf("there is no function %s", function)
	}
	return f.Body.Run(ctx, tool.Invocation{
		Call: tool.Call{Ref: tool.Ref{Door: tool.DoorTurn, Owner: "turn-1", ID: "1"}, Name: f.Name, Args: doc, Who: b.who}, Workspace: b.dir, Enclosure: b.enclosure,
		EndAtTimeout: b.minimal,
	})
}

// text is the result of a call that must complete.
func (b *bench) text(function string, a args) string {
	b.t.Helper()
	out := b.call(b.t.Context(), function, a)
	if out.State != tool.StateCompleted {
		b.t.Fatalf("%s(%v) = %s %v", function, a, out.State, out.Fault)
	}
	var s string
	if err := json.Unmarshal(out.Value, &s); err != nil {
		b.t.Fatal(err)
	}
	return s
}

// ran is the result of run_shell_command without its first line.
func (b *bench) ran(a args) string {
	b.t.Helper()
	head, rest, _ := strings.Cut(b.text("run_shell_command", a), "\n")
	if head != "[cwd: "+b.dir+"]" {
		b.t.Errorf("the first line is %q", head)
	}
	return rest
}

// fails is the fault of a call that must fail with the given kind.
func (b *bench) fails(kind tool.FaultKind, function string, a args) string {
	b.t.Helper()
	out := b.call(b.t.Context(), function, a)
	if out.Fault == nil || out.Fault.Kind != kind {
		b.t.Fatalf("%s(%.200v) = %s %s %v, want %s", function, a, out.State, out.Value, out.Fault, kind)
	}
	return out.Fault.Message
}

var handlePattern = regexp.MustCompile(`(?m)^Handle: (shell:[0-9a-f]{8})$`)

func (b *bench) handle(text string) string {
	b.t.Helper()
	m := handlePattern.FindStringSubmatch(text)
	if m == nil {
		b.t.Fatalf("there is no handle in %q", text)
	}
	return m[1]
}

// until waits for a condition that no event announces.
func until(t testing.TB, what string, ok func() bool) {
	t.Helper()
	await.Until(t, patience, what, ok)
}

// await calls check_shell_command until its text holds want.
func (b *bench) await(handle, want string) string {
	b.t.Helper()
	var text string
	until(b.t, "status with "+want, func() bool {
		text = b.text("check_shell_command", args{"handle": handle})
		return strings.Contains(text, want)
	})
	return text
}

// recorded is how many commands the table holds.
func (b *bench) recorded() int {
	b.processes.mu.Lock()
	defer b.processes.mu.Unlock()
	return len(b.processes.records)
}

// nap is a copy of sleep under a path nobody else uses, and a way to count
// the living processes of it whatever they did to their names and parents.
func nap(t *testing.T) (program string, alive func() int) {
	t.Helper()
	source, err := exec.LookPath("sleep")
	if err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	program = filepath.Join(t.TempDir(), "nap")
	if err := os.WriteFile(program, raw, 0o755); err != nil {
		t.Fatal(err)
	}
	return program, func() int {
		links, err := filepath.Glob("/proc/[0-9]*/exe")
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, l := range links {
			if target, err := os.Readlink(l); err == nil && target == program {
				n++
			}
		}
		return n
	}
}
