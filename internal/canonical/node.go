package canonical

import (
	"cmp"
	"slices"
)

const (
	kindScalar byte = iota
	kindArray
	kindObject
)

// node is a value that has been read but not yet written. A tree is kept, rather than rewriting each object in place as it
// closes, because that would copy the innermost bytes once for every level around them.
type node struct {
	kind    byte
	text    []byte // of a scalar: its canonical spelling, often a part of the input
	items   []node
	members []member
}

type member struct {
	at      int // byte offset of the key
	key     string
	keyText []byte
	value   node
}

// sort orders members by the bytes of the decoded key, which for UTF-8 is the order of code points; equal ones stay in the order
// in which they came.
func (n *node) sort() {
	byKey := func(a, b member) int { return cmp.Compare(a.key, b.key) }
	if !slices.IsSortedFunc(n.members, byKey) {
		slices.SortStableFunc(n.members, byKey)
	}
}

// repeated is the first sorted member whose key another had before it, or nil.
func (n *node) repeated() *member {
	for i := 1; i < len(n.members); i++ {
		if n.members[i].key == n.members[i-1].key {
			return &n.members[i]
		}
	}
	return nil
}

// dedupe keeps the last of equal sorted keys.
func (n *node) dedupe() {
	kept := n.members[:0]
	for i, m := range n.members {
		if i+1 == len(n.members) || n.members[i+1].key != m.key {
			kept = append(kept, m)
		}
	}
	n.members = kept
}

func (n node) appendTo(out []byte) []byte {
	switch n.kind {
	case kindArray:
		out = append(out, '[')
		for i, item := range n.items {
			if i > 0 {
				out = append(out, ',')
			}
			out = item.appendTo(out)
		}
		return append(out, ']')
	case kindObject:
		out = append(out, '{')
		for i, m := range n.members {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(append(out, m.keyText...), ':')
			out = m.value.appendTo(out)
		}
		return append(out, '}')
	default:
		return append(out, n.text...)
	}
}
