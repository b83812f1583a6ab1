package docs_test

import (
	"bytes"
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
	pythonsdk "mindroom/sdk/python"
)

// watched is the world of the documented watcher: a page that the test changes,
// and the messages that were sent.
type watched struct {
	mu       sync.Mutex
	page     string
	fail     *wirekit.ReceiptError // how the next message ends; nil: it is sent
	messages int
	reads    chan string
}

func (w *watched) read(context.Context, canonical.Doc) (json.RawMessage, *wirekit.ReceiptError) {
	w.mu.Lock()
	page := w.page
	w.mu.Unlock()
	select {
	case w.reads <- page:
	default:
	}
	if page == "" {
		return nil, &wirekit.ReceiptError{Kind: "tool_failure", Message: "status 503"}
	}
	return json.RawMessage(fmt.Sprintf(`[{"content":%q}]`, page)), nil
}

func (w *watched) send(context.Context, canonical.Doc) (json.RawMessage, *wirekit.ReceiptError) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.messages++
	fail := w.fail
	w.fail = nil
	return json.RawMessage(`{"status":"ok"}`), fail
}

func (w *watched) count() int { w.mu.Lock(); defer w.mu.Unlock(); return w.messages }

// show changes the page and waits until it was read twice, so that what follows
// from the first reading has happened.
func (w *watched) show(t *testing.T, page string, fail *wirekit.ReceiptError) {
	t.Helper()
	w.mu.Lock()
	w.page, w.fail = page, fail
	w.mu.Unlock()
	deadline := time.After(20 * time.Second)
	for n := 0; n < 2; {
		select {
		case got := <-w.reads:
			if got == page {
				n++
			}
		case <-deadline:
			t.Fatalf("the page %q was not read", page)
		}
	}
}

// The program of write-a-watcher.md does what its page says: one message a
// change, none for the first look, none for a page that is down, none twice when
// it cannot be told whether it was sent, and none after a relaunch (S40, S88).
func TestDocumentedWatcher(t *testing.T) {
	t.Parallel()
	w := &watched{page: "one", reads: make(chan string)}
	g := wirekit.NewFakeGateway(wirekit.Run{ID: "run", Token: "token", Tools: map[string]wirekit.Tool{
		"website.read_url": w.read, "matrix_message.matrix_message": w.send,
	}})
	g.Hold = 5 * time.Second
	t.Cleanup(g.Close)
	program := strings.NewReplacer("POLL_SECONDS = 15", "POLL_SECONDS = 0.01").Replace(blocks(pages(t)["docs/how-to/write-a-watcher.md"], "python")[0])
	workspace := t.TempDir()
	first := launch(t, g.URL(), workspace, program)

	for i, step := range []struct {
		page string
		fail *wirekit.ReceiptError
		want int
	}{
		{"one", nil, 0},
		{"two", nil, 1},
		{"", nil, 1},
		{"two", nil, 1},
		{"three", &wirekit.ReceiptError{Kind: "indeterminate", Message: "perhaps"}, 2},
		{"three", nil, 2},
		{"four", nil, 3},
	} {
		w.show(t, step.page, step.fail)
		if got := w.count(); got != step.want {
			t.Fatalf("step %d, %q: %d messages, want %d\n%s", i, step.page, got, step.want, first())
		}
	}
	out := first()
	if !strings.Contains(out, "perhaps not sent: ") || !strings.Contains(out, "not read: status 503") {
		t.Errorf("it wrote %q", out)
	}
	second := launch(t, g.URL(), workspace, program)
	w.show(t, "four", nil)
	if got := w.count(); got != 3 {
		t.Errorf("a relaunch sent %d messages\n%s", got-3, second())
	}
	w.show(t, "five", nil)
	if got := w.count(); got != 4 {
		t.Errorf("after a relaunch a change made %d messages, want 1", got-3)
	}
	second()
}

// launch starts a program as a run; the function it returns ends it and gives
// what it wrote.
func launch(t *testing.T, gateway, workspace, program string) (end func() string) {
	t.Helper()
	cmd := asRun(t, gateway, workspace, program)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var once sync.Once
	end = func() string {
		once.Do(func() {
			_ = cmd.Process.Signal(syscall.SIGTERM)
			if err := cmd.Wait(); err == nil {
				fmt.Fprint(&out, "(it had ended by itself)")
			}
		})
		return out.String()
	}
	t.Cleanup(func() { end() })
	return end
}

// asRun is a program as a run has it: the SDK, a gateway and a capability.
func asRun(t *testing.T, gateway, workspace, program string) *exec.Cmd {
	t.Helper()
	dir := t.TempDir()
	if err := pythonsdk.Lay(filepath.Join(dir, "sdk")); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"capability": "token", "source.py": program} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("python3", "-u", filepath.Join(dir, "source.py"))
	cmd.Dir = workspace
	cmd.Env = append(os.Environ(), "PYTHONPATH="+filepath.Join(dir, "sdk"), "MINDROOM_SCRIPT_GATEWAY_URL="+gateway,
		"MINDROOM_SCRIPT_RUN_ID=run", "MINDROOM_SCRIPT_TOKEN_PATH="+filepath.Join(dir, "capability"))
	return cmd
}
