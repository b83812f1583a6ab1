package docs_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// sources calls visit with every Go file of the product below a folder.
func sources(t *testing.T, folder string, visit func(path, text string)) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join("..", folder), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		raw, err := os.ReadFile(path)
		visit(path, string(raw))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// variable finds names of variables in the code. NO_COLOR and TERM are the
// terminal's; the rest are recognised by how they begin.
var variable = regexp.MustCompile(`"((?:MINDROOM|MATRIX)_[A-Z_]*[A-Z]|[A-Z_]+_API_KEY|OPENAI_BASE_URL|OLLAMA_HOST|LOG_LEVEL|CUSTOMER_ID|ACCOUNT_ID|NO_COLOR)"`)

// inner are variables between our own processes and of our own tests; nobody
// sets them by hand.
var inner = map[string]string{
	"MINDROOM_PROCESS_TREE":             "marks the processes of one tree",
	"MINDROOM_EVENT_CACHE_DATABASE_URL": "the default of a key that has no effect yet; nothing reads it",
}

func TestEveryVariableIsDescribed(t *testing.T) {
	t.Parallel()
	page := pages(t)["docs/reference/environment.md"] + pages(t)["docs/reference/script-sdk.md"]
	seen := 0
	for _, folder := range []string{"cmd", "internal"} {
		sources(t, folder, func(path, text string) {
			for _, m := range variable.FindAllStringSubmatch(text, -1) {
				seen++
				if _, ok := inner[m[1]]; !ok && !strings.HasPrefix(m[1], "MINDROOM_TEST_") && !strings.Contains(page, m[1]) {
					t.Errorf("%s reads %s, which docs/reference/environment.md does not describe", path, m[1])
				}
			}
		})
	}
	if seen < 20 {
		t.Errorf("only %d variables were found in the code", seen)
	}
}

// key finds the keys that the configuration's readers ask for.
var key = regexp.MustCompile(`\b(?:s|root|section)\.(?:get|require|text|boolean|optionalBool|optionalInt|choice|texts|names|scope|workerTools|span|seconds)\("([a-z_]+)"`)

func TestEveryConfigurationKeyIsDescribed(t *testing.T) {
	t.Parallel()
	page := pages(t)["docs/reference/configuration.md"]
	seen := 0
	sources(t, "internal/config", func(path, text string) {
		for _, m := range key.FindAllStringSubmatch(text, -1) {
			seen++
			// api_key is accepted only to say where it belongs.
			if m[1] != "api_key" && !strings.Contains(page, "`"+m[1]+"`") && !strings.Contains(page, m[1]+":") && !strings.Contains(page, "## "+m[1]) {
				t.Errorf("%s reads the key %s, which docs/reference/configuration.md does not describe", path, m[1])
			}
		}
	})
	if seen < 5 {
		t.Errorf("only %d keys were found in the code: this test does not know how they are read now", seen)
	}
}
