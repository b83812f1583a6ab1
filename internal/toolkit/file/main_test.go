package file

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"mindroom/internal/canonical"
	"mindroom/internal/tool"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// bench is a workspace with some files beside it, and the toolkit's functions.
type bench struct {
	t         *testing.T
	dir       string
	functions map[string]tool.Function
}

func newBench(t *testing.T) *bench {
	t.Helper()
	functions, err := New().Build(tool.Env{})
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t, dir: filepath.Join(t.TempDir(), "workspace"), functions: map[string]tool.Function{}}
	for _, f := range functions {
		b.functions[f.Name.Function] = f
	}
	b.put("../secret.txt", "outside")
	return b
}

func (b *bench) put(name, text string) {
	b.t.Helper()
	path := filepath.Join(b.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) link(target, name string) {
	b.t.Helper()
	if err := os.MkdirAll(b.dir, 0o700); err != nil {
		b.t.Fatal(err)
	}
	if err := os.Symlink(target, filepath.Join(b.dir, name)); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) content(name string) string {
	b.t.Helper()
	raw, err := os.ReadFile(filepath.Join(b.dir, name))
	if err != nil {
		b.t.Fatal(err)
	}
	return string(raw)
}

type args map[string]any

func (b *bench) call(function string, a args) tool.Outcome {
	b.t.Helper()
	doc, err := canonical.FromValue(map[string]any(a))
	if err != nil {
		b.t.Fatal(err)
	}
	f, ok := b.functions[function]
	if !ok {
		b.t.Fatalf("there is no function %s", function)
	}
	return f.Body.Run(b.t.Context(), tool.Invocation{Call: tool.Call{Name: f.Name, Args: doc}, Workspace: b.dir})
}

func (b *bench) ok(function string, a args) map[string]any {
	b.t.Helper()
	out := b.call(function, a)
	if out.State != tool.StateCompleted {
		b.t.Fatalf("%s(%v) = %s %v", function, a, out.State, out.Fault)
	}
	var value map[string]any
	if err := json.Unmarshal(out.Value, &value); err != nil {
		b.t.Fatal(err)
	}
	if value["status"] != "ok" || value["tool"] != "file" || value["action"] != function {
		b.t.Errorf("%s: result %s lacks its head", function, out.Value)
	}
	return value
}

func (b *bench) fails(function string, a args) string {
	b.t.Helper()
	out := b.call(function, a)
	if out.State != tool.StateFailed {
		b.t.Fatalf("%s(%.200v) = %s %s, want a failure", function, a, out.State, out.Value)
	}
	return out.Fault.Message
}

// untouched holds invariant 1 at the end of a test.
func (b *bench) untouched() {
	b.t.Helper()
	if got := b.content("../secret.txt"); got != "outside" {
		b.t.Errorf("a file outside the workspace became %q", got)
	}
	entries, err := os.ReadDir(filepath.Dir(b.dir))
	if err != nil || len(entries) != 2 {
		b.t.Errorf("beside the workspace is %v, %v; want it and secret.txt only", entries, err)
	}
}
