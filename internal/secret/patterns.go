package secret

import (
	"regexp"
	"strings"
)

// secretName ends the name of a field whose value is a secret. It is matched at
// the end, so that "max_tokens" and "token_count" stay readable.
const secretName = `(?:token|secret|passw(?:or)?d|passphrase|api[_-]?key|access[_-]?key|private[_-]?key|recovery[_-]?key|authorization|credentials?|cookie)`

// patterns find secrets nobody registered by what stands around them. Each keeps
// its first group and, when it has one, its last. RE2: linear in the text.
var patterns = []struct {
	hint []string // one of these (lower case) must occur; spares most texts the match
	re   *regexp.Regexp
	with string
}{
	{[]string{"authorization"}, regexp.MustCompile(`(?i)(authorization\s*[:=]\s*\[?(?:bearer|basic)\s+)(?:\[redacted\]|[^\s"',\[\]\\]+)`), "${1}" + Mark},
	// Without a scheme only what looks like a token: a configuration has a section
	// of this name, and prose about it stays readable.
	{[]string{"authorization"}, regexp.MustCompile(`(?i)(authorization\s*[:=]\s*\[?)[a-z0-9._~+/-]{16,}=*`), "${1}" + Mark},
	// Sixteen and more, so that prose about bearers stays readable.
	{[]string{"bearer"}, regexp.MustCompile(`(?i)\b(bearer\s+)[a-z0-9._~+/-]{16,}=*`), "${1}" + Mark},
	{[]string{`"`}, regexp.MustCompile(`(?i)("[a-z0-9_.-]*` + secretName + `"\s*:\s*")(?:[^"\\]|\\.)+(")`), "${1}" + Mark + "${2}"},
	// The same inside a JSON string, where each quote has a backslash.
	{[]string{`\"`}, regexp.MustCompile(`(?i)(\\"[a-z0-9_.-]*` + secretName + `\\"\s*:\s*\\")(?:\\\\\\"|\\\\|\\[^"\\]|[^"\\])+(\\")`), "${1}" + Mark + "${2}"},
	{[]string{"="}, regexp.MustCompile(`(?i)([?&][a-z0-9_.-]*(?:` + secretName + `|\bkey|\bsig)=)[^&\s"'<>\\]+`), "${1}" + Mark},
	{[]string{"://"}, regexp.MustCompile(`(://[^/\s:@"']*:)[^/\s@"']+(@)`), "${1}" + Mark + "${2}"},
}

func redactPatterns(s string) string {
	lower := ""
	for _, p := range patterns {
		if lower == "" {
			lower = strings.ToLower(s)
		}
		for _, hint := range p.hint {
			if strings.Contains(lower, hint) {
				s = p.re.ReplaceAllString(s, p.with)
				break
			}
		}
	}
	return s
}

var nameRE = regexp.MustCompile(`(?i)(?:^|[_.-])` + secretName + `$`)

// IsName reports whether a field of this name holds a secret, whatever its value.
func IsName(name string) bool { return nameRE.MatchString(name) }
