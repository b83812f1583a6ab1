package docs_test

import (
	"os/exec"
	"strings"
	"testing"

	"mindroom/internal/config"
	"mindroom/internal/model"
	"mindroom/internal/model/scripted"
	"mindroom/internal/runtime"

	"os"
	"path/filepath"
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

func TestRulesExampleLoads(t *testing.T) {
	t.Parallel()
	for _, example := range blocks(pages(t)["docs/how-to/choose-a-model.md"], "yaml") {
		if !strings.HasPrefix(example, "# rules.yaml") {
			continue
		}
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "rules.yaml"), []byte(example), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := scripted.New(model.Settings{ID: "demo", Dir: dir, ExtraKwargs: map[string]any{"rules": "rules.yaml"}}); err != nil {
			t.Error(err)
		}
		return
	}
	t.Error("the example of rules was not found")
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
