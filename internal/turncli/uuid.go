package turncli

import (
	"encoding/hex"
	"strings"
)

// parseUUID reads every textual form of a UUID that the public client takes
// (hyphenated, bare, in braces, with urn:uuid:) and gives the hyphenated one in
// lower case.
func parseUUID(s string) (string, bool) {
	s = strings.TrimPrefix(strings.ToLower(s), "urn:uuid:")
	if inner, ok := strings.CutPrefix(s, "{"); ok {
		if s, ok = strings.CutSuffix(inner, "}"); !ok {
			return "", false
		}
	}
	s = strings.ReplaceAll(s, "-", "")
	if raw, err := hex.DecodeString(s); err != nil || len(raw) != 16 {
		return "", false
	}
	return s[:8] + "-" + s[8:12] + "-" + s[12:16] + "-" + s[16:20] + "-" + s[20:], true
}
