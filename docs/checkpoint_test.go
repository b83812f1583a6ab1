package docs_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"mindroom/internal/canonical"
	"mindroom/internal/wirekit"
)

// sites are the two pages of the documented program and what was told of them.
type sites struct {
	mu    sync.Mutex
	pages map[string]string
	told  map[string]int
	kill  func() // called while a message is on its way, once
	reads chan string
}

func (s *sites) read(_ context.Context, args canonical.Doc) (json.RawMessage, *wirekit.ReceiptError) {
	var in struct{ URL string }
	if err := json.Unmarshal(args.Canonical(), &in); err != nil {
		return nil, &wirekit.ReceiptError{Kind: "invalid_arguments", Message: err.Error()}
	}
	s.mu.Lock()
	text := s.pages[in.URL]
	s.mu.Unlock()
	select {
	case s.reads <- in.URL + " " + text:
	default:
	}
	return json.RawMessage(fmt.Sprintf(`[{"content":%q}]`, text)), nil
}

func (s *sites) send(_ context.Context, args canonical.Doc) (json.RawMessage, *wirekit.ReceiptError) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for url := range s.pages {
		if strings.Contains(string(args.Canonical()), url) {
			s.told[url]++
		}
	}
	if s.kill != nil {
		s.kill()
		s.kill = nil
	}
	return json.RawMessage(`{"status":"ok"}`), nil
}

// shows changes a page and waits until it was read twice with that text.
func (s *sites) shows(t *testing.T, url, text string) {
	t.Helper()
	s.mu.Lock()
	s.pages[url] = text
	s.mu.Unlock()
	s.seen(t, url, text)
}

func (s *sites) seen(t *testing.T, url, text string) {
	t.Helper()
	deadline := time.After(30 * time.Second)
	for n := 0; n < 2; {
		select {
		case got := <-s.reads:
			if got == url+" "+text {
				n++
			}
		case <-deadline:
			t.Fatalf("%s was not read as %q", url, text)
		}
	}
}

func (s *sites) tells(t *testing.T, when string, a, b int) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if got := [2]int{s.told[statusPage], s.told[newsPage]}; got != [2]int{a, b} {
		t.Errorf("%s: told %v, want %d and %d", when, got, a, b)
	}
}

const statusPage, newsPage = "https://example.org/status.txt", "https://example.org/news.txt"

// The program of checkpoint-a-watcher.md, as it stands but for its pause: killed
// while it waits and while a message is on its way, and run again, it tells every
// change that it can know to be untold, and none twice; a second one ends at once.
func TestDocumentedCheckpoints(t *testing.T) {
	t.Parallel()
	s := &sites{pages: map[string]string{statusPage: "one", newsPage: "one"}, told: map[string]int{}, reads: make(chan string)}
	g := wirekit.NewFakeGateway(wirekit.Run{ID: "run", Token: "token", Tools: map[string]wirekit.Tool{
		"website.read_url": s.read, "matrix_message.matrix_message": s.send,
	}})
	g.Hold = 5 * time.Second
	t.Cleanup(g.Close)
	program := strings.Replace(blocks(pages(t)["docs/how-to/checkpoint-a-watcher.md"], "python")[0], "POLL_SECONDS = 30", "POLL_SECONDS = 0.01", 1)
	workspace := t.TempDir()

	first, out := start(t, g.URL(), workspace, program)
	s.seen(t, newsPage, "one")
	s.tells(t, "at first", 0, 0)
	s.shows(t, statusPage, "two")
	s.tells(t, "after a change", 1, 0)
	if second, said := start(t, g.URL(), workspace, program); second.Wait() == nil || !strings.Contains(said(), "another run of this watcher works already") {
		t.Errorf("a second run goes on: %s", said())
	}

	// Killed while it waits or reads. What changes meanwhile is told afterwards.
	kill(t, first)
	s.mu.Lock()
	s.pages[newsPage] = "two"
	s.mu.Unlock()
	next, said := start(t, g.URL(), workspace, program)
	s.seen(t, newsPage, "two")
	s.tells(t, "after it was killed", 1, 1)
	if !strings.Contains(said(), "goes on from 2 pages") || !strings.Contains(out(), "begins with 0 pages") {
		t.Errorf("the runs said %q and %q", out(), said())
	}

	// Killed while its message is on its way: it arrived, and is not sent again.
	s.mu.Lock()
	s.kill = func() { _ = next.Process.Kill() }
	s.pages[statusPage] = "three"
	s.mu.Unlock()
	_ = next.Wait()
	_, said = start(t, g.URL(), workspace, program)
	s.seen(t, statusPage, "three")
	s.tells(t, "after it was killed on the way", 2, 1)
	if !strings.Contains(said(), "perhaps not told: "+statusPage) {
		t.Errorf("the run said %q", said())
	}
	s.shows(t, statusPage, "four")
	s.tells(t, "and on", 3, 1)
	if left, err := filepath.Glob(filepath.Join(workspace, "*")); err != nil || len(left) > 3 {
		t.Errorf("left in the workspace: %v, %v", left, err)
	}
}

// start runs a program in a workspace; the function it returns is what it wrote
// so far.
func start(t *testing.T, gateway, workspace, program string) (*exec.Cmd, func() string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "output")
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	cmd := asRun(t, gateway, workspace, program)
	cmd.Stdout, cmd.Stderr = f, f
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return cmd, func() string {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Error(err)
		}
		return string(raw)
	}
}

func kill(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
}
