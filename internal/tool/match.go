package tool

import "strings"

// Match reports whether a name matches a shell-style pattern, the one form of
// matching that rules and filters use (spec/runtime.md 1.8, 1.10): * is any
// text, ? any character, [abc], [a-c] and [!abc] one of a set. Case counts, and
// no character is special to it, / and \ included. A [ that is never closed
// stands for itself: a rule with such a slip still matches that very name and
// never silently nothing.
func Match(pattern, name string) bool {
	p, s := []rune(pattern), []rune(name)
	// Only the last * is ever taken back, so the work is at most len(p)*len(s).
	star, kept := -1, 0
	i, j := 0, 0
	for j < len(s) {
		if i < len(p) && p[i] == '*' {
			star, kept = i, j
			i++
			continue
		}
		if n := one(p[i:], s[j]); n > 0 {
			i += n
			j++
			continue
		}
		if star < 0 {
			return false
		}
		kept++
		i, j = star+1, kept
	}
	return strings.Trim(string(p[i:]), "*") == ""
}

// one is the length of the pattern's first element if r fits it, else 0.
func one(p []rune, r rune) int {
	switch {
	case len(p) == 0:
		return 0
	case p[0] == '?':
		return 1
	case p[0] == '[':
		if n, fits := set(p, r); n > 0 {
			if fits {
				return n
			}
			return 0
		}
	}
	if p[0] == r {
		return 1
	}
	return 0
}

// set reads a [set]: its length, 0 when it is never closed, and whether r is in
// it. A ] that comes first is a member.
func set(p []rune, r rune) (length int, fits bool) {
	i := 1
	negated := i < len(p) && p[i] == '!'
	if negated {
		i++
	}
	for first := i; i < len(p); i++ {
		if p[i] == ']' && i > first {
			return i + 1, fits != negated
		}
		low, high := p[i], p[i]
		if i+2 < len(p) && p[i+1] == '-' && p[i+2] != ']' {
			high = p[i+2]
			i += 2
		}
		if low <= r && r <= high {
			fits = true
		}
	}
	return 0, false
}
