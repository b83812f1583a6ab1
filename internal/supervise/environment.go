package supervise

import (
	"slices"
	"strings"
)

// passedOn are the variables of this program that any child may see.
var passedOn = []string{"PATH", "LANG", "LANGUAGE", "TZ", "TMPDIR", "SSL_CERT_FILE", "SSL_CERT_DIR"}

// PassedOn returns what a child may see of environ, "NAME=value" each: a few variables that tell how this machine is set up (every LC_ variable among them), and those
// named also. Whatever is not listed may be a secret and stays out.
func PassedOn(environ []string, also ...string) []string {
	var out []string
	for _, e := range environ {
		name, _, ok := strings.Cut(e, "=")
		if ok && (slices.Contains(passedOn, name) || slices.Contains(also, name) || strings.HasPrefix(name, "LC_")) {
			out = append(out, e)
		}
	}
	return out
}
