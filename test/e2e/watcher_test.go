package e2e

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mindroom/test/binary"
	"mindroom/test/homeserver"
	"mindroom/test/story"
)

// bin holds the built binaries.
var bin string

func TestMain(m *testing.M) {
	os.Exit(binary.Around(func(dir string) error {
		bin = dir
		return binary.Build(context.Background(), dir, "mindroom", "mindroom-supervise", "mindroom-agent")
	}, func() int { return homeserver.Main(m, nil) }))
}

// offline is an environment without any model's key.
func offline(string) (string, bool) { return "", false }

// TestWatcherWakesTheAgentOncePerChange plays the document's complete example,
// with its 15 seconds: only its URL and agent name are replaced (S40, S41, S85).
func TestWatcherWakesTheAgentOncePerChange(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	s, err := story.Begin(t.Context(), story.Options{
		Folder: folder, Bin: bin, Patience: 2 * time.Minute, Lookup: offline, Progress: func(line string) { t.Log(line) },
		Step: func(step story.Step) { t.Logf("%7.2fs %s: %s", step.At.Seconds(), step.Name, step.Detail) },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("the runtime did not end in order: %v", err)
		}
		noneLeft(t, folder)
	})
	if err := s.Play(t.Context()); err != nil {
		log, _ := os.ReadFile(filepath.Join(folder, "mindroom.log"))
		t.Fatalf("%v\n%s", err, log)
	}
	lists := command(t, folder, "scripts", "ls", "--json")
	if !strings.Contains(lists, `"state":"running"`) && !strings.Contains(lists, `"state": "running"`) {
		t.Errorf("scripts ls does not show the run: %s", lists)
	}
	noSecrets(t, folder)
}

// command runs the binary as an operator does, beside the running primary, and
// returns what a program would read: progress is told elsewhere.
func command(t *testing.T, folder string, args ...string) string {
	t.Helper()
	cmd := exec.Command(filepath.Join(bin, "mindroom"), append(args, "--config", filepath.Join(folder, "config.yaml"))...)
	cmd.Env = append(os.Environ(), "MINDROOM_STORAGE_PATH="+filepath.Join(folder, "storage"))
	var told strings.Builder
	cmd.Stderr = &told
	out, err := cmd.Output()
	if err != nil {
		t.Errorf("mindroom %s: %v\n%s%s", strings.Join(args, " "), err, out, told.String())
	}
	return string(out)
}

// noneLeft makes sure that no process works in the story's folder any more.
func noneLeft(t *testing.T, folder string) {
	t.Helper()
	links, err := filepath.Glob("/proc/[0-9]*/cwd")
	if err != nil {
		t.Fatal(err)
	}
	for _, link := range links {
		if dir, err := os.Readlink(link); err == nil && strings.HasPrefix(dir, folder) {
			cmdline, _ := os.ReadFile(filepath.Join(filepath.Dir(link), "cmdline"))
			t.Errorf("a process is left: %s %q", filepath.Dir(link), cmdline)
		}
	}
}

// noSecrets makes sure that the run's capability is in its own file alone: in no
// log, no table, no other file of the storage.
func noSecrets(t *testing.T, folder string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "storage", "script_runs", "*", "capability"))
	if err != nil || len(files) != 1 {
		t.Fatalf("capability files %v, %v", files, err)
	}
	token, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || path == files[0] || !d.Type().IsRegular() {
			return err
		}
		raw, err := os.ReadFile(path)
		if err == nil && strings.Contains(string(raw), string(token)) {
			t.Errorf("%s holds the capability", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
