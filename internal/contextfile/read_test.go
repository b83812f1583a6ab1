package contextfile

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Every kind of thing that a name may be, in one workspace.
func TestRead(t *testing.T) {
	t.Parallel()
	outside := filepath.Join(t.TempDir(), "secret")
	dir := filepath.Join(t.TempDir(), "w")
	err := errors.Join(
		os.WriteFile(outside, []byte("secret"), 0o600),
		os.MkdirAll(filepath.Join(dir, "notes"), 0o700),
		os.WriteFile(filepath.Join(dir, "AGENTS.md"), []byte(" {whole}\n"), 0o600),
		os.WriteFile(filepath.Join(dir, "notes", "USER.md"), nil, 0o600),
		os.WriteFile(filepath.Join(dir, "long.md"), []byte(strings.Repeat("x", MaxBytes+1)), 0o600),
		os.WriteFile(filepath.Join(dir, "most.md"), []byte(strings.Repeat("x", MaxBytes)), 0o600),
		os.WriteFile(filepath.Join(dir, "picture.png"), []byte("\x89PNG\x00"), 0o600),
		os.WriteFile(filepath.Join(dir, "latin.txt"), []byte("caf\xe9"), 0o600),
		os.Symlink("AGENTS.md", filepath.Join(dir, "inside")),
		os.Symlink(outside, filepath.Join(dir, "outside")),
		syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600),
	)
	if err != nil {
		t.Fatal(err)
	}
	files, faults := Read(dir, []string{"notes/USER.md", "gone.md", "AGENTS.md", "long.md", "most.md", "picture.png", "latin.txt", "inside", "outside", "../secret", "pipe", "notes", "gone/deeper"})
	var names []string
	for _, f := range files {
		names = append(names, f.Path)
	}
	if want := []string{"notes/USER.md", "AGENTS.md", "most.md", "inside"}; !slices.Equal(names, want) {
		t.Errorf("read %v, want %v", names, want)
	}
	if files[1].Text != " {whole}\n" || files[3].Text != " {whole}\n" {
		t.Errorf("the texts are %q and %q", files[1].Text, files[3].Text)
	}
	told := errors.Join(faults...).Error()
	for _, name := range []string{"long.md", "picture.png", "latin.txt", "outside", "../secret", "pipe", "notes"} {
		if strings.Count(told, "context file "+name+": ") != 1 {
			t.Errorf("%s is not told of:\n%s", name, told)
		}
	}
	if len(faults) != 7 || strings.Contains(told, "gone") {
		t.Errorf("%d faults:\n%s", len(faults), told)
	}
}

// No workspace is no fault, and none is made; one that is a file is a fault.
func TestReadWithoutAWorkspace(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "none")
	for _, d := range []string{"", dir} {
		if files, faults := Read(d, []string{"a"}); files != nil || faults != nil {
			t.Errorf("%q: %v, %v", d, files, faults)
		}
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a workspace was made: %v", err)
	}
	if err := os.WriteFile(dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, faults := Read(dir, []string{"a"}); len(faults) != 1 {
		t.Errorf("a file as a workspace: %v", faults)
	}
}
