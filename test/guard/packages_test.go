package guard

import (
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestEveryPackageSaysWhatItIs holds that each package has a doc.go whose
// comment begins as godoc expects.
func TestEveryPackageSaysWhatItIs(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		where := short(p.ImportPath)
		if !slices.Contains(p.GoFiles, "doc.go") {
			t.Errorf("%s has no doc.go: say there what lives in it", where)
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, "doc.go"), nil, parser.ParseComments|parser.PackageClauseOnly)
		if err != nil {
			t.Error(err)
			continue
		}
		want := "Package " + p.Name + " "
		if p.Name == "main" {
			want = "Command " + path.Base(p.ImportPath) + " "
		}
		if got := f.Doc.Text(); !strings.HasPrefix(strings.ReplaceAll(got, "\n", " "), want) {
			t.Errorf("%s/doc.go: the package comment must begin %q; it begins %q", where, want, got[:min(len(got), 30)])
		}
		documentedOnce(t, p)
	}
}

// documentedOnce holds that godoc has one text of a package, not a collection.
func documentedOnce(t *testing.T, p pkg) {
	t.Helper()
	for _, name := range p.GoFiles {
		if name == "doc.go" {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, name), nil, parser.ParseComments|parser.PackageClauseOnly)
		if err != nil {
			t.Error(err)
			continue
		}
		if f.Doc.Text() != "" {
			t.Errorf("%s/%s has a package comment as well; keep the one in doc.go", short(p.ImportPath), name)
		}
	}
}

// noIdea are names that say nothing of what is inside.
var noIdea = regexp.MustCompile(`^(utils?|common|helpers?|misc)(_test)?$`)

// TestNamesSayWhatIsInside holds that no package and no file is a drawer.
func TestNamesSayWhatIsInside(t *testing.T) {
	t.Parallel()
	sources(t, func(file string) {
		for _, part := range strings.Split(strings.TrimSuffix(strings.TrimSuffix(file, ".go"), ".py"), "/") {
			if noIdea.MatchString(part) {
				t.Errorf("%s: %q names no idea; call it after what it does", file, part)
			}
		}
	}, ".go", ".py")
}
