package file

import (
	"fmt"
	"path"
	"strings"
)

// maxSegments bounds a pattern.
const maxSegments = 32

// glob is a pattern cut at its slashes.
type glob struct {
	segments []string
	base     bool // no slash: only the last part of a path counts
}

func compile(pattern string) (glob, error) {
	pattern = strings.TrimPrefix(pattern, "./")
	g := glob{segments: strings.Split(pattern, "/"), base: !strings.Contains(pattern, "/")}
	if len(g.segments) > maxSegments {
		return glob{}, fmt.Errorf("it has more than %d parts", maxSegments)
	}
	for _, s := range g.segments {
		if s == "" || s == "." || s == ".." {
			return glob{}, fmt.Errorf("it must be a relative path without empty parts, %q and %q", ".", "..")
		}
		if _, err := path.Match(s, ""); err != nil {
			return glob{}, fmt.Errorf("%q: %w", s, err)
		}
	}
	if g.base && g.segments[0] == "**" {
		g.base = false
	}
	return g, nil
}

func (g glob) matches(name string) bool {
	if g.base {
		return fits(g.segments[0], path.Base(name))
	}
	parts := strings.Split(name, "/")
	// reach[i] says whether the segments so far match the first i parts: linear
	// in both, however many ** there are.
	reach := make([]bool, len(parts)+1)
	reach[0] = true
	for _, s := range g.segments {
		next := make([]bool, len(parts)+1)
		for i := range next {
			switch {
			case s == "**":
				next[i] = reach[i] || (i > 0 && next[i-1])
			case i > 0:
				next[i] = reach[i-1] && fits(s, parts[i-1])
			}
		}
		reach = next
	}
	return reach[len(parts)]
}

// fits is path.Match for a pattern that compile accepted.
func fits(pattern, name string) bool {
	ok, err := path.Match(pattern, name)
	return err == nil && ok
}
