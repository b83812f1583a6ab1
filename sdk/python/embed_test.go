package pythonsdk

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestEveryFileIsEmbedded(t *testing.T) {
	t.Parallel()
	onDisk, err := filepath.Glob("mindroom/*.py")
	if err != nil {
		t.Fatal(err)
	}
	embedded, err := fs.Glob(Files(), "mindroom/*.py")
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(onDisk, embedded) || !slices.Contains(embedded, "mindroom/__init__.py") {
		t.Errorf("embedded %v, on disk %v", embedded, onDisk)
	}
	for _, name := range []string{Shim, "mindroom/script_sdk.py", "mindroom/py.typed"} {
		if _, err := fs.Stat(Files(), name); err != nil {
			t.Error(err)
		}
	}
}

// The SDK must load on an interpreter that has nothing but its standard library (S32).
func TestStandardLibraryOnly(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "sdk")
	if err := Lay(dir); err != nil {
		t.Fatal(err)
	}
	program := "import sys; sys.path.insert(0, sys.argv[1]); import mindroom.script_sdk; " +
		"print(*(m for m in ('http.client', 'ssl', 'email', 'urllib', 'typing', 'uuid', 'random', 'threading') if m in sys.modules))"
	for _, python := range interpreters(t) {
		if !python.supported() {
			continue
		}
		output, err := exec.Command(python.path, "-I", "-S", "-c", program, dir).CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%s", python.path, err, output)
		} else if slow := strings.TrimSpace(string(output)); slow != "" {
			t.Errorf("%s: importing the SDK also loads %s, which costs every script time", python.path, slow)
		}
	}
}

func TestLayNeverOverwrites(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "a", "sdk")
	if err := Lay(dir); err != nil {
		t.Fatal(err)
	}
	if err := Lay(dir); !errors.Is(err, fs.ErrExist) {
		t.Errorf("second Lay: %v, want fs.ErrExist", err)
	}
}

// A copy of a precompiled template must start from its compiled files: a source that cannot be read proves that it does.
func TestPrecompiledCopyNeedsNoSource(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	template, copied := filepath.Join(root, "template"), filepath.Join(root, "copy")
	if err := Lay(template); err != nil {
		t.Fatal(err)
	}
	for _, python := range interpreters(t) {
		if !python.supported() {
			continue
		}
		if err := Precompile(t.Context(), python.path, template); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.CopyFS(copied, os.DirFS(template)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"_run.py", "script_sdk.py", "_http.py"} {
		if err := os.WriteFile(filepath.Join(copied, "mindroom", name), []byte("not Python"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, python := range interpreters(t) {
		if !python.supported() {
			continue
		}
		cmd := exec.Command(python.path, "-I", "-c", "import sys; sys.path.insert(0, sys.argv[1]); import mindroom.script_sdk, mindroom._run", copied)
		if output, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", python.path, err, output)
		}
	}
	if err := Precompile(t.Context(), filepath.Join(root, "no-such-python"), template); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Precompile without an interpreter: %v", err)
	}
}
