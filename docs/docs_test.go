package docs_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	// conformanceRow is one requirement: id, behaviour, proof.
	conformanceRow = regexp.MustCompile(`(?m)^\| ([SMC]\d\d) \| (.+?) \| (.+) \|$`)
	// named is a test in backticks: its folder, a dot, its name.
	named  = regexp.MustCompile("`([a-z][a-z0-9/-]*)\\.((?:Test|Fuzz)[A-Za-z0-9_]+|test_[a-z0-9_]+)`")
	goTest = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)[A-Za-z0-9_]+)\(\w+ \*testing\.[TF]\)`)
	pyTest = regexp.MustCompile(`(?m)^    def (test_[a-z0-9_]+)\(`)
)

// ids are all requirements there are: 88, 44 and 29.
func ids() []string {
	var all []string
	for _, group := range []struct {
		letter string
		count  int
	}{{"S", 88}, {"M", 44}, {"C", 29}} {
		for n := 1; n <= group.count; n++ {
			all = append(all, fmt.Sprintf("%s%02d", group.letter, n))
		}
	}
	return all
}

// Every requirement stands in the table once, with a proof or an admission; and
// every test that is named exists in the folder it is named with.
func TestConformanceNamesRealTests(t *testing.T) {
	t.Parallel()
	page := pages(t)["docs/conformance.md"]
	proofs := map[string][]string{}
	for _, m := range conformanceRow.FindAllStringSubmatch(page, -1) {
		proofs[m[1]] = append(proofs[m[1]], m[3])
	}
	tests := map[string]map[string]bool{}
	for _, id := range ids() {
		if len(proofs[id]) != 1 {
			t.Errorf("%s stands in the table %d times", id, len(proofs[id]))
			continue
		}
		proof := proofs[id][0]
		found := named.FindAllStringSubmatch(proof, -1)
		if len(found)*2 != strings.Count(proof, "`") {
			t.Errorf("%s: something in backticks is no test: %s", id, proof)
		}
		if len(found) == 0 && !strings.Contains(proof, "**not yet**") {
			t.Errorf("%s has neither a test nor **not yet**", id)
		}
		for _, m := range found {
			if tests[m[1]] == nil {
				tests[m[1]] = testsIn(t, m[1])
			}
			if !tests[m[1]][m[2]] {
				t.Errorf("%s: there is no test %s in %s", id, m[2], m[1])
			}
		}
		delete(proofs, id)
	}
	for id := range proofs {
		t.Errorf("%s is no requirement", id)
	}
}

// testsIn are the names of the tests in one folder.
func testsIn(t *testing.T, folder string) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	for pattern, form := range map[string]*regexp.Regexp{"*_test.go": goTest, "test_*.py": pyTest} {
		files, err := filepath.Glob(filepath.Join("..", folder, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range form.FindAllStringSubmatch(string(raw), -1) {
				names[m[1]] = true
			}
		}
	}
	return names
}
