package tail

import (
	"strings"
	"unicode/utf8"
)

// Text is the chunk as valid UTF-8 of at most limit bytes, its end kept. A character that the ring's edge cut in two is dropped, invalid bytes become
// U+FFFD, one for each run of them.
func (c Chunk) Text(limit int) string {
	b := c.Data
	if c.Start > 0 {
		for i := 0; i < utf8.UTFMax-1 && len(b) > 0 && !utf8.RuneStart(b[0]); i++ {
			b = b[1:]
		}
	}
	s := strings.ToValidUTF8(string(b), "\uFFFD")
	if len(s) > limit {
		s = s[len(s)-limit:]
		for len(s) > 0 && !utf8.RuneStart(s[0]) {
			s = s[1:]
		}
	}
	return s
}
