package guard

import (
	"strings"
	"testing"
)

// owners are the libraries that one tree alone may import, so that the rest
// compiles, starts and is raced without them.
var owners = []struct{ library, trees, why string }{
	{"github.com/anthropics/", "internal/model/anthropic", "a model's SDK stays behind the model port"},
	{"github.com/openai/", "internal/model/openai", "a model's SDK stays behind the model port"},
	{"maunium.net/go/", "internal/matrix internal/person", "nobody else calls Matrix: they write rows, and matrix pumps them"},
	{"go.mau.fi/", "internal/matrix internal/person", "it comes with the Matrix library"},
	{"modernc.org/", "internal/store", "one owner of SQLite's connections, errors and pragmas"},
	{"database/sql/driver", "internal/store", "one owner of SQLite's connections, errors and pragmas"},
	{"k8s.io/", "internal/worker/kubernetes", "Kubernetes' client alone doubles a binary"},
	{"github.com/moby/", "internal/worker/docker", "an engine's client stays behind the worker port"},
	{"github.com/docker/", "internal/worker/docker", "an engine's client stays behind the worker port"},
	{"github.com/modelcontextprotocol/", "internal/toolkit/mcp", "one toolkit's protocol"},
	{"github.com/google/jsonschema-go/", "internal/tool docs/gen", "one maker and one checker of schemas; the reference prints them"},
	{"github.com/yuin/goldmark", "internal/message", "one way from Markdown to what Matrix shows"},
	{"github.com/microcosm-cc/bluemonday", "internal/message", "one sanitiser"},
	{"codeberg.org/readeck/", "internal/toolkit/website", "one toolkit's reader of pages"},
	{"github.com/tiktoken-go/", "test/bench", "sixteen megabytes of tables, to count tokens of requests"},
	{"github.com/spf13/", "cmd/mindroom", "commands are the program's; the small programs have none"},
}

// TestLibrariesHaveOneOwner holds the table for every import.
func TestLibrariesHaveOneOwner(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		for _, to := range p.Imports {
			if wrong := foreign(short(p.ImportPath), to); wrong != "" {
				t.Error(wrong)
			}
		}
	}
}

// foreign says whose library it is that the package imports; "" when it may.
func foreign(from, to string) string {
	for _, o := range owners {
		if strings.HasPrefix(to, o.library) && !among(o.trees, from) {
			return from + " imports " + to + ": only " + strings.ReplaceAll(o.trees, " ", " and ") + " may (" + o.why + ")"
		}
	}
	return ""
}

func TestForeign(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		from, to string
		wrong    bool
	}{
		{"internal/model/openai", "github.com/openai/openai-go/v3/option", false},
		{"internal/model/wire", "github.com/openai/openai-go/v3", true},
		{"internal/turn", "maunium.net/go/mautrix/id", true},
		{"internal/matrix/crypto", "maunium.net/go/mautrix/crypto", false},
		{"internal/chat", "modernc.org/sqlite", true},
		{"cmd/mindroom-supervise", "github.com/spf13/cobra", true},
		{"internal/turn", "database/sql", false},
	} {
		if got := foreign(c.from, c.to); (got != "") != c.wrong {
			t.Errorf("%s importing %s is judged %q", c.from, c.to, got)
		}
	}
}

// testLibraries have no place in a program.
var testLibraries = []string{"testing", "net/http/httptest", "go.uber.org/goleak", "pgregory.net/rapid", "github.com/google/go-cmp/cmp"}

// TestProgramsLinkNoTestCode holds that what people run has neither a test
// library nor support for tests linked in, at any depth.
func TestProgramsLinkNoTestCode(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		if p.Name != "main" || !among("cmd/*", short(p.ImportPath)) {
			continue
		}
		for _, dep := range list(t, "-deps", p.ImportPath) {
			path := short(dep.ImportPath)
			if users, found := supports(path); found && users == "" {
				t.Errorf("%s links %s, which is support for tests", short(p.ImportPath), path)
			}
			for _, library := range testLibraries {
				if path == library {
					t.Errorf("%s links %s; find who imports it with: go mod why -m, or go list -deps", short(p.ImportPath), path)
				}
			}
		}
	}
}
