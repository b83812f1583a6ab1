package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"mindroom/internal/secret"
)

// install writes files into a folder and returns the path of config.yaml.
func install(t *testing.T, all map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range all {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		write(t, path, text)
	}
	return filepath.Join(dir, "config.yaml")
}

func TestResolve(t *testing.T) {
	t.Parallel()
	got, err := Resolve(install(t, map[string]string{
		"config.yaml": "zone: &z [yes, 'yes', \"1\", 1, 1.5, null, ~, 2024-01-01]\nagents: !include_dir_named agents\nb: {<<: {y: 1, x: 2}, x: *z}\n" +
			"kwargs: {api_key: sk-very-secret, max_tokens: 7, 'on': off, url: 'postgres://me:hidden-word@db.example.org/x'}\n",
		"agents/w.yaml":  "role: !include_text role.md\ntitle: 'Keep: this'\n",
		"agents/role.md": "One.\nTwo.\n",
	}))
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "testdata/resolved.yaml", string(got))
}

// What resolve writes means what the files meant.
func TestResolveKeepsTheMeaning(t *testing.T) {
	t.Parallel()
	same := cmp.Options{
		cmpopts.IgnoreTypes(Pos{}, Source{}), cmpopts.IgnoreUnexported(Agent{}, Settings{}), cmp.AllowUnexported(Config{}), cmpopts.SortSlices(strings.Compare),
		cmpopts.IgnoreFields(Config{}, "Location"),
	}
	all := map[string]map[string]string{"included": everythingIncluded()}
	for _, path := range glob(t, "testdata/accepted/*.yaml") {
		all[path] = map[string]string{"config.yaml": string(read(t, path))}
	}
	for name, files := range all {
		files["config.yaml"] = strings.Replace(files["config.yaml"], ", api_key: none", "", 1)
		path := install(t, files)
		c, _, err := Load(path, toolkits(), Env{})
		if err != nil {
			t.Fatal(name, err)
		}
		text, err := Resolve(path)
		if err != nil {
			t.Fatal(name, err)
		}
		again, _, err := Parse(path, text, toolkits(), Env{})
		if err != nil {
			t.Errorf("%s: what resolve wrote is refused: %v\n%s", name, err, text)
			continue
		}
		if diff := cmp.Diff(c, again, same); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestResolveTellsWhatCannotBeRead(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"include": "a: !include gone.yaml\n", "syntax": "a: [\n", "empty": ""} {
		var faults Errors
		if _, err := Resolve(install(t, map[string]string{"config.yaml": text})); !errors.As(err, &faults) {
			t.Errorf("%s: want Errors, got %v", name, err)
		}
	}
	if _, err := Resolve(filepath.Join(t.TempDir(), "none.yaml")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing: %v", err)
	}
}

// FuzzResolve: what the loader takes, it takes again as resolve writes it.
func FuzzResolve(f *testing.F) {
	for _, text := range []string{
		minimal,
		minimal + "prompts: {A: \"a: b\\nc \\n\", B: ' x', C: '#', D: \"\\t\", E: '- ', F: '!x', G: '0x1', H: \"é\\u2028\"}\n",
		minimal + "timezone: UTC\nvoice: [yes, 'yes', 10, '010', 1e3, '.inf', 2024-01-01, '2024-01-01', ~, '~', null, 'null', '', \"\\n\"]\n",
	} {
		if _, _, err := Parse("config.yaml", []byte(text), toolkits(), Env{}); err != nil {
			f.Fatal("a seed that the loader refuses tests nothing: ", err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c := compose("config.yaml", []byte(text), nil)
		if _, _, err := c.judge(toolkits(), Env{}); err != nil {
			return
		}
		c = compose("config.yaml", []byte(text), nil) // judging takes out what is refused
		printed, err := c.tree.print()
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if strings.Contains(string(printed), secret.Mark) {
			return // a name that was hidden is another name
		}
		again := compose("config.yaml", printed, nil)
		if _, _, err := again.judge(toolkits(), Env{}); err != nil {
			t.Fatalf("%v\n%s\nof\n%s", err, printed, text)
		}
		twice, err := compose("config.yaml", printed, nil).tree.print()
		if diff := cmp.Diff(string(printed), string(twice)); err != nil || diff != "" {
			t.Errorf("written twice it differs: %v %s", err, diff)
		}
	})
}
