package tool_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"

	"mindroom/internal/tool"
)

// A call's files are those of its workspace: no name, link or pipe leads out of
// it or holds the call.
func TestWorkspaceFiles(t *testing.T) {
	t.Parallel()
	in := tool.Invocation{Workspace: filepath.Join(t.TempDir(), "work")}
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	path, fault := in.CreateFile("out/a.txt", strings.NewReader("hello"))
	if fault != nil || path != filepath.Join("out", "a.txt") {
		t.Fatalf("%q, %v", path, fault)
	}
	for name, target := range map[string]string{"link": secret, "up": "../../secret", "folder": filepath.Dir(secret)} {
		if err := os.Symlink(target, filepath.Join(in.Workspace, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(in.Workspace, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"out/a.txt", "./out/../out/a.txt", filepath.Join(in.Workspace, "out", "a.txt")} {
		f, fault := in.OpenFile(name)
		if fault != nil {
			t.Fatalf("%s: %v", name, fault)
		}
		raw, err := io.ReadAll(f)
		if err := errors.Join(err, f.Close()); err != nil || string(raw) != "hello" {
			t.Errorf("%s is %q, %v", name, raw, err)
		}
	}
	for _, name := range []string{"none", "out", "link", "up", "folder/secret", "pipe", "../secret", secret, "", "/"} {
		if f, fault := in.OpenFile(name); fault == nil {
			_ = f.Close()
			t.Errorf("%q was opened", name)
		}
	}
	for _, name := range []string{"out/a.txt", "out", "link", "folder/new", "../new", secret + "2", ""} {
		if path, fault := in.CreateFile(name, strings.NewReader("x")); fault == nil {
			t.Errorf("%q was written as %s", name, path)
		}
	}
	if raw, err := os.ReadFile(secret); err != nil || string(raw) != "secret" {
		t.Errorf("what is outside reads %q, %v", raw, err)
	}
	if _, fault := in.CreateFile("half", iotest.TimeoutReader(strings.NewReader("half of it"))); fault == nil {
		t.Error("half a file was written")
	}
	if _, err := os.Stat(filepath.Join(in.Workspace, "half")); err == nil {
		t.Error("half a file is left")
	}
	if _, fault := (tool.Invocation{}).OpenFile("a"); fault == nil {
		t.Error("a file without a workspace")
	}
}
