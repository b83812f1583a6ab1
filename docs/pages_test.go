package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// pages are all Markdown files that users read, by their path below the top.
func pages(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md"} {
		files, err := filepath.Glob(filepath.Join("..", pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			raw, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			found[strings.TrimPrefix(f, "../")] = string(raw)
		}
	}
	if len(found) < 10 {
		t.Fatalf("only %d pages were found", len(found))
	}
	return found
}

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.+)$`)
	fence   = regexp.MustCompile("(?ms)^```([a-z]*)\n(.*?)^```$")
)

func TestLinksLeadSomewhere(t *testing.T) {
	t.Parallel()
	all := pages(t)
	for page, text := range all {
		for _, m := range link.FindAllStringSubmatch(fence.ReplaceAllString(text, ""), -1) {
			path, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(path, "://") {
				continue
			}
			target := page
			if path != "" {
				target = filepath.Join(filepath.Dir(page), path)
			}
			if _, err := os.Stat(filepath.Join("..", target)); err != nil {
				t.Errorf("%s: the link %s leads nowhere", page, m[1])
				continue
			}
			if anchor != "" && !hasAnchor(all[target], anchor) {
				t.Errorf("%s: the link %s names a heading that is not there", page, m[1])
			}
		}
	}
}

func hasAnchor(text, anchor string) bool {
	for _, m := range heading.FindAllStringSubmatch(text, -1) {
		kept := func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
				return r
			}
			return -1
		}
		if strings.Map(kept, strings.ToLower(m[1])) == anchor {
			return true
		}
	}
	return false
}

// blocks are the fenced blocks of a page in one language.
func blocks(text, language string) []string {
	var out []string
	for _, m := range fence.FindAllStringSubmatch(text, -1) {
		if m[1] == language {
			out = append(out, m[2])
		}
	}
	return out
}
