package homeserver

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A folder that holds a server is used as it is; nothing is built.
func TestBuildUsesTheGivenFolder(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(dirVariable, dir)
	want := filepath.Join(dir, "dendrite")
	if err := os.WriteFile(want, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	got, err := Build(t.Context(), func(line string) { t.Errorf("it says %q", line) })
	if err != nil || got != want {
		t.Fatalf("%s %v", got, err)
	}
}

// Who comes second waits for the lock and says so, and can give up.
func TestBuildWaitsForTheLock(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(dirVariable, dir)
	unlock, err := lock(t.Context(), filepath.Join(dir, "lock"), func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	var said []string
	_, err = Build(ctx, func(line string) { said = append(said, line) })
	if !errors.Is(err, context.DeadlineExceeded) || len(said) != 1 || !strings.Contains(said[0], "another process") {
		t.Fatalf("%v after %q", err, said)
	}
}

// A server that cannot start says why.
func TestStartTellsTheEndOfTheLog(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(dirVariable, dir)
	if err := os.WriteFile(filepath.Join(dir, "dendrite"), []byte("#!/bin/sh\necho no such thing; exit 3\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	_, err := Start(t.Context(), Options{Dir: filepath.Join(dir, "data")})
	if err == nil || !strings.Contains(err.Error(), "no such thing") || !strings.Contains(err.Error(), "exit status 3") {
		t.Fatalf("%v", err)
	}
}

func TestPinned(t *testing.T) {
	t.Parallel()
	src, err := source()
	if err != nil {
		t.Fatal(err)
	}
	if v, err := pinned(filepath.Join(src, "go.mod")); err != nil || !strings.HasPrefix(v, "v0.") {
		t.Fatalf("%q %v", v, err)
	}
	other := filepath.Join(t.TempDir(), "go.mod")
	if err := os.WriteFile(other, []byte("module x\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := pinned(other); err == nil {
		t.Fatal("a pin was found where there is none")
	}
}
