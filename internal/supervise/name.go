package supervise

import (
	"crypto/rand"
	"encoding/hex"

	"mindroom/internal/supervise/contain"
)

// newName makes a tree's random name.
func newName() string {
	var b [contain.NameBytes]byte
	_, _ = rand.Read(b[:]) // it never fails: the runtime ends the program rather than give out what can be guessed
	return hex.EncodeToString(b[:])
}
