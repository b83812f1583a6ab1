package secret

import (
	"slices"
)

// bucket holds secrets with one beginning, by their first keyLength bytes.
type bucket struct {
	lengths []int // of the keys, longest first
	keys    map[string][]string
}

func (b *bucket) measure() {
	b.lengths = b.lengths[:0]
	for key := range b.keys {
		b.lengths = append(b.lengths, len(key))
	}
	slices.Sort(b.lengths)
	b.lengths = slices.Compact(b.lengths)
	slices.Reverse(b.lengths)
}

// match says how many bytes at the beginning of s belong to a secret. A long
// secret of which s has the first keyLength bytes and more, but not all, is
// taken as far as it goes: most of a secret is a secret.
func (b *bucket) match(s string) int {
	for _, n := range b.lengths {
		if n > len(s) {
			continue
		}
		longest := 0
		for _, secret := range b.keys[s[:n]] {
			longest = max(longest, common(s, secret))
		}
		if longest > 0 {
			return longest
		}
	}
	return 0
}

func common(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}
