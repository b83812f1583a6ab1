package tool

import (
	"strings"
	"testing"
)

func TestMatch(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{
		{"send_email", "send_email", true},
		{"send_email", "Send_email", false},
		{"run_shell_*", "run_shell_command", true},
		{"run_shell_*", "run_shell", false},
		{"*", "", true},
		{"", "", true},
		{"", "a", false},
		{"*_*_*", "a_b_c", true},
		{"*ab", "aab", true},
		{"a*b*c", "aXbYbZc", true},
		{"a*b*c", "aXbYbZ", false},
		{"?", "ü", true},
		{"?", "", false},
		{"[abc]x", "bx", true},
		{"[a-c]x", "dx", false},
		{"[!a-c]x", "dx", true},
		{"[!a-c]x", "ax", false},
		{"[]]", "]", true},
		{"[!]]", "]", false},
		{"[a-]", "-", true},
		// What a path would forbid is ordinary in the name of a person.
		{"*", "@a/b:example.org", true},
		{`a\*`, `a\b`, true},
		// A slip matches itself and what else it says, never silently nothing.
		{"[", "[", true},
		{"[abc", "[abc", true},
		{"[abc", "a", false},
		{"*[abc", "x[abc", true},
	} {
		if got := Match(c.pattern, c.name); got != c.want {
			t.Errorf("Match(%q, %q) = %v, want %v", c.pattern, c.name, got, c.want)
		}
	}
}

// FuzzMatch holds what is true of any pattern: a name without special
// characters matches itself, and a star on either side takes nothing away.
func FuzzMatch(f *testing.F) {
	f.Add("a*b", "ab")
	f.Add("[!a-c]?", "dx")
	f.Add("[[]", "[")
	f.Fuzz(func(t *testing.T, pattern, name string) {
		if Match(pattern, name) && !(Match("*"+pattern, name) && Match(pattern+"*", name)) {
			t.Errorf("%q matches %q, but not with a star beside it", pattern, name)
		}
		if !strings.ContainsAny(name, "*?[") && !Match(name, name) {
			t.Errorf("%q does not match itself", name)
		}
	})
}
