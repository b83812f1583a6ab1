package agentcli

import (
	"crypto/rand"
	"encoding/hex"
	"strings"
)

// parseUUID reads a UUID of any version with or without hyphens, in braces, or as a urn, and gives its lower-case hyphenated
// form (spec/agentcli.md 1.2).
func parseUUID(text string) (string, bool) {
	digits := strings.TrimPrefix(strings.TrimPrefix(text, "urn:"), "uuid:")
	digits = strings.ReplaceAll(strings.Trim(digits, "{}"), "-", "")
	raw, err := hex.DecodeString(digits)
	if err != nil || len(raw) != 16 {
		return "", false
	}
	return spell(raw), true
}

// newUUID makes a random one, of version 4.
func newUUID() string {
	var raw [16]byte
	_, _ = rand.Read(raw[:]) // never fails: the program ends where the kernel has no randomness
	raw[6], raw[8] = raw[6]&0x0f|0x40, raw[8]&0x3f|0x80
	return spell(raw[:])
}

func spell(raw []byte) string {
	h := hex.EncodeToString(raw)
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}
