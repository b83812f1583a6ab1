package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

// openTerminal makes a pseudo-terminal: what is written to the first end is
// typed at the second, which is the terminal of a process.
func openTerminal(t *testing.T) (keyboard, terminal *os.File) {
	t.Helper()
	keyboard, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetPointerInt(int(keyboard.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(int(keyboard.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	return keyboard, terminal
}

// watched is everything that a terminal was told to show.
type watched struct {
	mu   sync.Mutex
	all  strings.Builder
	more chan struct{}
}

func watch(t *testing.T, keyboard, terminal *os.File) *watched {
	w := &watched{more: make(chan struct{}, 1)}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		buf := make([]byte, 4096)
		for {
			n, err := keyboard.Read(buf)
			w.mu.Lock()
			w.all.Write(buf[:n])
			w.mu.Unlock()
			select {
			case w.more <- struct{}{}:
			default:
			}
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() {
		// Without a process or a file at the other end, reading ends.
		_ = terminal.Close()
		<-ended
		_ = keyboard.Close()
	})
	return w
}

func (w *watched) text() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.all.String()
}

func (w *watched) await(ctx context.Context, t *testing.T, text string) {
	t.Helper()
	for !strings.Contains(w.text(), text) {
		select {
		case <-w.more:
		case <-ctx.Done():
			t.Fatalf("%q was not shown, but:\n%q", text, w.text())
		}
	}
}
