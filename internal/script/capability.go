package script

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"

	"mindroom/internal/secret"
)

// tokenHash is the SHA-256 of a capability in its text form, in hex. It is what
// the database keeps and what a presented capability is found by (S39).
type tokenHash string

// mint makes a capability: 32 random bytes in URL-safe base64, 43 characters.
func mint() (secret.Value, tokenHash, error) {
	var b [32]byte
	if _, err := rand.Read(b[:]); err != nil {
		return secret.Value{}, "", fmt.Errorf("capability: no randomness: %w", err)
	}
	text := base64.RawURLEncoding.EncodeToString(b[:])
	return secret.New(text), hashToken(text), nil
}

func hashToken(text string) tokenHash {
	sum := sha256.Sum256([]byte(text))
	return tokenHash(hex.EncodeToString(sum[:]))
}
