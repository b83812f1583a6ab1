package wire

import (
	"regexp"
	"strings"
)

// maxDetail bounds a provider's explanation, in bytes.
const maxDetail = 400

// keyLike finds what looks like a credential even when it is not ours: a proxy may hold another one.
var keyLike = regexp.MustCompile(`(?i)\b(?:sk|pk|key|gsk|xai|rk)-[a-z0-9_\-*.]{6,}|\bbearer\s+\S+`)

// userInfo finds the name and password of an address.
var userInfo = regexp.MustCompile(`://[^/\s@]+@`)

// Clean makes a provider's explanation one bounded line without the given secrets and without anything that looks
// like a key.
func Clean(text string, secrets []string) string {
	for _, s := range secrets {
		if s != "" {
			text = strings.ReplaceAll(text, s, "[key]")
		}
	}
	text = keyLike.ReplaceAllString(text, "[key]")
	text = userInfo.ReplaceAllString(text, "://")
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "\uFFFD")), " ")
	if len(text) > maxDetail {
		text = strings.ToValidUTF8(text[:maxDetail], "") + "…"
	}
	return text
}
