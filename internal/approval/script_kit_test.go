package approval

import (
	"context"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"mindroom/internal/canonical"
	"mindroom/internal/lifecycle"
	"mindroom/test/await"
	"mindroom/test/heard"
)

// patience bounds what may take long on a busy machine; it is never slept.
const patience = 60 * time.Second

// file writes a script and names it.
func file(t testing.TB, language, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "check."+language)
	write(t, path, text)
	return path
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// star is a Starlark file that always answers the same.
func star(t testing.TB, answer string) string {
	return file(t, "star", "def check(tool_name, arguments, agent_name):\n    return "+answer+"\n")
}

func scripts(t testing.TB) *Scripts { return scriptsWithin(t, patience) }

func scriptsWithin(t testing.TB, within time.Duration) *Scripts {
	s, _ := scriptsLogged(t, within)
	return s
}

// scriptsLogged evaluates scripts until the test ends, and then holds that every process is gone.
func scriptsLogged(t testing.TB, within time.Duration) (*Scripts, *heard.Text) {
	t.Helper()
	group := lifecycle.New(context.WithoutCancel(t.Context()))
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := group.Stop(ctx); err != nil {
			t.Error(err)
		}
	})
	log := &heard.Text{}
	return NewScripts(ScriptParts{
		Python:  func() (string, error) { return exec.LookPath("python3") },
		Environ: append(os.Environ(), "OPENAI_API_KEY=not-for-scripts"),
		Run:     group, Within: within, Log: slog.New(slog.NewTextHandler(log, nil)),
	}), log
}

func subject(t testing.TB, arguments string) Subject {
	t.Helper()
	doc, err := canonical.Parse([]byte(arguments), canonical.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return Subject{Function: "send_email", Arguments: doc, Agent: "watcher"}
}

func mustRead(t testing.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// until waits for a condition that no event announces.
func until(t testing.TB, what string, ok func() bool) {
	t.Helper()
	await.Until(t, patience, what, ok)
}
