package excerpt

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestHeadAndTail(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		s          string
		n          int
		head, tail string
	}{
		{"", 3, "", ""}, {"abc", 3, "abc", "abc"}, {"abc", 2, "ab", "bc"}, {"abc", 0, "", ""}, {"abc", -1, "", ""},
		{"aéb", 2, "a", "b"}, {"aéb", 3, "aé", "éb"}, {"😀😀", 7, "😀", "😀"}, {"😀", 3, "", ""},
	} {
		if head, tail := Head(c.s, c.n), Tail(c.s, c.n); head != c.head || tail != c.tail {
			t.Errorf("%q, %d: %q and %q, want %q and %q", c.s, c.n, head, tail, c.head, c.tail)
		}
	}
}

func FuzzCut(f *testing.F) {
	f.Add("aé😀b", 3)
	f.Fuzz(func(t *testing.T, s string, n int) {
		head, tail := Head(s, n), Tail(s, n)
		if !strings.HasPrefix(s, head) || !strings.HasSuffix(s, tail) || len(head) > max(n, 0) || len(tail) > max(n, 0) {
			t.Fatalf("%q, %d: %q and %q", s, n, head, tail)
		}
		if utf8.ValidString(s) && (!utf8.ValidString(head) || !utf8.ValidString(tail)) {
			t.Fatalf("%q, %d: a character was cut: %q and %q", s, n, head, tail)
		}
	})
}
