package wire

import (
	"regexp"
	"strings"

	"mindroom/internal/secret"
)

// maxDetail bounds a provider's explanation, in bytes.
const maxDetail = 400

// keyLike finds what looks like a provider's key although nobody registered it: a proxy may hold one of its own, and
// providers repeat a refused key half masked. The rest is the redactor's.
var keyLike = regexp.MustCompile(`(?i)\b(?:sk|pk|key|gsk|xai|rk)-[a-z0-9_\-*.]{6,}`)

// Clean makes a provider's explanation one bounded line without the key (whatever its length), without any secret the
// program knows and without anything that looks like a key.
func Clean(text string, key secret.Value) string {
	if !key.IsZero() {
		text = strings.ReplaceAll(text, key.Reveal(), secret.Mark)
	}
	text = secret.Default.Redact(text)
	text = keyLike.ReplaceAllString(text, secret.Mark)
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "\uFFFD")), " ")
	if len(text) > maxDetail {
		text = strings.ToValidUTF8(text[:maxDetail], "") + "…"
	}
	return text
}
