package control

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"testing"

	"mindroom/internal/script"
)

// The socket is the runtime's own, wherever its folder lies, and goes with it.
func TestSocketIsPrivateAndRemoved(t *testing.T) {
	t.Parallel()
	dir := deep(t)
	stop := serve(t, dir, &fakeRuns{})
	info, err := os.Stat(filepath.Join(dir, socketName))
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode() != fs.ModeSocket|0o600 {
		t.Errorf("the socket has mode %v", info.Mode())
	}
	stop()
	if _, err := os.Stat(filepath.Join(dir, socketName)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the socket is still there: %v", err)
	}
}

func TestNotRunning(t *testing.T) {
	t.Parallel()
	dir := deep(t)
	for name, prepare := range map[string]func() string{
		"no folder":      func() string { return filepath.Join(dir, "nothing") },
		"no socket":      func() string { return dir },
		"a stale socket": func() string { stale(t, dir); return dir },
	} {
		if _, err := client(t, prepare()).List(t.Context(), true, 0); !errors.Is(err, ErrNotRunning) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// stale leaves a socket behind as a killed primary does.
func stale(t *testing.T, dir string) {
	t.Helper()
	l, err := listen(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, socketName)); err != nil {
		t.Fatalf("nothing was left behind: %v", err)
	}
}

func TestStaleSocketIsReplaced(t *testing.T) {
	t.Parallel()
	dir := deep(t)
	stale(t, dir)
	serve(t, dir, &fakeRuns{runs: []*script.Run{run("first")}})
	if got, err := client(t, dir).List(t.Context(), true, 0); err != nil || len(got) != 1 {
		t.Errorf("listed %v, %v", got, err)
	}
}

func TestListenWithoutFolder(t *testing.T) {
	t.Parallel()
	s, err := Listen(filepath.Join(t.TempDir(), "nothing"), &fakeRuns{}, nil)
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("listens as %v, %v", s, err)
	}
}

// Who is not the primary gets an answer, but no refusal of the protocol.
func TestStrangerOnTheSocket(t *testing.T) {
	t.Parallel()
	dir := deep(t)
	l, err := listen(dir)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	left := make(chan struct{})
	go func() {
		defer close(left)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			answer(c)
		}
	}()
	t.Cleanup(func() { cancel(); _ = l.Close(); <-left })
	_, err = client(t, dir).List(ctx, true, 0)
	var refusal *Refusal
	if !errors.As(err, &refusal) || refusal.Kind != "" || refusal.Message != "418 I'm a teapot" {
		t.Errorf("understood as %v", err)
	}
}

func answer(c net.Conn) {
	defer c.Close()
	buf := make([]byte, 4096)
	if _, err := c.Read(buf); err == nil {
		_, _ = c.Write([]byte("HTTP/1.1 418 I'm a teapot\r\nContent-Length: 6\r\nConnection: close\r\n\r\n<html>"))
	}
}
