package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"go.yaml.in/yaml/v4"

	"mindroom/internal/config"
	"mindroom/internal/runtime"
)

// typing is a terminal at which somebody types lines.
func typing(lines string) (u *ui, said *bytes.Buffer) {
	said = &bytes.Buffer{}
	return &ui{
		in: strings.NewReader(lines), out: &bytes.Buffer{}, err: said, inTTY: true, errTTY: true,
		lookup: func(string) (string, bool) { return "", false },
	}, said
}

func TestInitAsks(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "config.yaml")
	u, said := typing("olama\nollama\n\nhttp://:1\nhttps://matrix.example.org\nyou\n@you:example.org")
	if status := execute([]string{"config", "init", "--path", path}, u); status != 0 {
		t.Fatalf("status %d: %s", status, said)
	}
	for _, want := range []string{
		"provider of the model [anthropic]: ", `"olama" is no provider of this build: use `, "its name for the model [qwen3]: ",
		"address of the homeserver [http://localhost:8008]: ", `"http://:1": it must be an address`, `"you" is not a Matrix id`,
	} {
		if !strings.Contains(said.String(), want) {
			t.Errorf("never said %q:\n%s", want, said)
		}
	}
	catalog, err := runtime.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	env, err := config.ReadEnv(filepath.Dir(path), nil)
	if err != nil {
		t.Fatal(err)
	}
	c, warnings, err := config.Load(path, catalog, env)
	if err != nil || len(warnings) > 0 {
		t.Fatal(warnings, err)
	}
	if m := c.Models["default"]; m.Provider != "ollama" || m.ID != "qwen3" || c.Authorization.GlobalUsers[0] != "@you:example.org" {
		t.Errorf("%+v %+v", m, c.Authorization)
	}
	if env.Get("MATRIX_HOMESERVER") != "https://matrix.example.org" || len(env.Get("MINDROOM_API_KEY")) != 64 {
		t.Error("the .env file lacks the homeserver or a key")
	}
}

// Flags are not asked for again, and an input that ends leaves nothing behind.
func TestInitAsksOnlyWhatIsOpen(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "config.yaml")
	u, said := typing("")
	status := execute([]string{"config", "init", "--path", path, "--provider", "scripted", "--model", "demo", "--homeserver", "http://localhost:1"}, u)
	if status != exitUsage || strings.Contains(said.String(), "provider of") || !strings.Contains(said.String(), "the input ended before --owner was answered") {
		t.Errorf("status %d: %s", status, said)
	}
	if files, _ := os.ReadDir(filepath.Dir(path)); len(files) > 0 {
		t.Errorf("something was written: %v", files)
	}
	u, said = typing("")
	status = execute([]string{"config", "init", "--path", path, "--no-input", "--owner", "@you:example.org"}, u)
	if status != exitDone || strings.Contains(said.String(), "[anthropic]") {
		t.Errorf("status %d: %s", status, said)
	}
}

// A folder that cannot be written is told with its path, and no half file stays.
func TestInitInAFolderOfOthers(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	u, said := typing("")
	status := execute([]string{"config", "init", "--path", filepath.Join(file, "config.yaml"), "--no-input", "--owner", "@you:example.org"}, u)
	if status != exitFailed || !strings.Contains(said.String(), file) {
		t.Errorf("status %d: %s", status, said)
	}
}

// The schema of the real toolkits takes what init writes, and what the README shows.
func TestSchemaOfThisBuild(t *testing.T) {
	t.Parallel()
	catalog, err := runtime.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(config.Schema(catalog))
	if err != nil {
		t.Fatal(err)
	}
	var schema jsonschema.Schema
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	first, err := answers{"anthropic", "claude-sonnet-5", "http://localhost:8008", "@you:example.org"}.configuration("config.yaml")
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, shown, found := strings.Cut(string(readme), "```yaml\n")
	shown, _, closed := strings.Cut(shown, "```")
	if !found || !closed {
		t.Fatal(errors.New("the README has no configuration"))
	}
	for name, text := range map[string]string{"init": string(first), "README": shown} {
		var v any
		if err := yaml.Unmarshal([]byte(text), &v); err != nil {
			t.Fatal(err)
		}
		if err := resolved.Validate(v); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	var wrong any
	if err := yaml.Unmarshal([]byte(strings.Replace(string(first), "allowed_tools:", "allowed_tool:", 1)), &wrong); err != nil {
		t.Fatal(err)
	}
	if resolved.Validate(wrong) == nil {
		t.Error("it takes a setting that the toolkit script does not have")
	}
}
