package turncli

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"

	"mindroom/internal/secret"
)

// digest is the SHA-256 of a grant's text. A presented grant is found by it, so
// that how long looking takes tells nothing about any grant (C15).
type digest [sha256.Size]byte

// Format keeps a digest out of everything that prints.
func (digest) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(secret.Mark)) }

func digestOf(token string) digest { return sha256.Sum256([]byte(token)) }

// mint makes a grant: 32 random bytes in URL-safe base64, 43 characters.
func mint() (secret.Value, digest, error) {
	var b [32]byte
	if _, err := rand.Read(b[:]); err != nil {
		return secret.Value{}, digest{}, fmt.Errorf("a grant of a response: no randomness: %w", err)
	}
	text := base64.RawURLEncoding.EncodeToString(b[:])
	return secret.New(text), digestOf(text), nil
}
