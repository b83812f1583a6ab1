package guard

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// starters may say go. Everybody else has a lifecycle.Runner, whose owner waits.
var starters = []struct{ tree, why string }{
	{"internal/lifecycle", "it is the owner"},
	{"internal/supervise/guard", "the supervisor is a program of the standard library alone and ends with its tree"},
	{"test/*", "support for tests, which wait for what they start"},
}

// TestNoStrayGo holds that nothing starts a goroutine which nobody waits for.
// Tests are free to: goleak watches them.
func TestNoStrayGo(t *testing.T) {
	t.Parallel()
	dir, seen := root(t), 0
	sources(t, func(file string) {
		if strings.HasSuffix(file, "_test.go") {
			return
		}
		raw, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			t.Error(err)
			return
		}
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, file, raw, parser.SkipObjectResolution)
		if err != nil {
			t.Error(err)
			return
		}
		places := strays(set, f)
		seen += len(places)
		for _, s := range starters {
			if within(s.tree, filepath.ToSlash(filepath.Dir(file))) != "" {
				return
			}
		}
		for _, where := range places {
			t.Errorf("%s: a go statement outside of internal/lifecycle; run it with a lifecycle.Runner, or with a sync.WaitGroup that is waited for", where)
		}
	}, ".go")
	if seen == 0 {
		t.Error("not one go statement was found, not even in internal/lifecycle: this test looks at nothing")
	}
}

// strays lists the places of go statements in a file.
func strays(set *token.FileSet, f *ast.File) []string {
	var places []string
	ast.Inspect(f, func(n ast.Node) bool {
		if g, ok := n.(*ast.GoStmt); ok {
			places = append(places, set.Position(g.Go).String())
		}
		return true
	})
	return places
}
