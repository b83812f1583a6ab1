package docs_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mindroom/internal/config"
	"mindroom/internal/model"
	"mindroom/internal/model/scripted"
	"mindroom/internal/runtime"
)

// A configuration that somebody copies must load as it stands.
func TestConfigurationExamplesLoad(t *testing.T) {
	t.Parallel()
	catalog, err := runtime.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for page, text := range pages(t) {
		for _, example := range blocks(text, "yaml") {
			if !strings.Contains(example, "models:") {
				continue
			}
			n++
			if _, _, err := config.Parse("/config.yaml", []byte(example), catalog, config.Env{}); err != nil {
				t.Errorf("%s: an example does not load: %v\n%s", page, err, example)
			}
		}
	}
	if n < 3 {
		t.Errorf("only %d examples were found", n)
	}
}

// The rules that people copy must load, with the sample's watcher beside them.
func TestRulesExamplesLoad(t *testing.T) {
	t.Parallel()
	watcher, err := os.ReadFile("../test/story/sample/watcher.py")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for page, text := range pages(t) {
		for _, example := range blocks(text, "yaml") {
			if !strings.Contains(example, "\nrules:\n") {
				continue
			}
			n++
			dir := t.TempDir()
			for name, content := range map[string]string{"rules.yaml": example, "watcher.py": string(watcher)} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := scripted.New(model.Settings{ID: "demo", Dir: dir, ExtraKwargs: map[string]any{"rules": "rules.yaml"}}); err != nil {
				t.Errorf("%s: %v", page, err)
			}
		}
	}
	if n < 2 {
		t.Errorf("only %d examples were found", n)
	}
}

// A program that somebody copies must at least be Python.
func TestPythonExamplesCompile(t *testing.T) {
	t.Parallel()
	n := 0
	for page, text := range pages(t) {
		for _, example := range blocks(text, "python") {
			n++
			cmd := exec.Command("python3", "-c", "import sys; compile(sys.stdin.read(), 'example', 'exec')")
			cmd.Stdin = strings.NewReader(example)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%s: an example does not compile: %v\n%s", page, err, out)
			}
		}
	}
	if n < 3 {
		t.Errorf("only %d examples were found", n)
	}
}
