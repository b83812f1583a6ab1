package config

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v4"
)

// Bounds of a document once its aliases are followed: an alias is one line of text and may stand for all lines above it.
const (
	maxDepth  = 64
	maxValues = 100_000
)

type kind int

const (
	kindNull kind = iota
	kindScalar
	kindList
	kindMap
)

// node is a YAML value with what a message about it needs: its place and its path.
type node struct {
	kind    kind
	refused bool // check found a fault and made it a null
	pos     Pos
	path    string
	text    string // of a scalar, as written, without quotes
	tag     string // of a scalar: !!str, !!int, !!float, !!bool, !!timestamp
	plain   bool   // a scalar without quotes and block marks
	items   []*node
	entries []entry
}

type entry struct {
	key    string
	keyPos Pos
	value  *node
}

// find returns the value of key, nil when it is not there.
func (n *node) find(key string) *node {
	for _, e := range n.entries {
		if e.key == key {
			return e.value
		}
	}
	return nil
}

// builder copies the parser's nodes into ours, following aliases, merges and includes within the bounds.
type builder struct {
	file   string // in which we are
	errs   *Errors
	values int
	depth  int
	open   map[*yaml.Node]bool // anchors being expanded: meeting one again would never end
	full   bool                // the bound was hit and told once
	inclusion
}

func (b *builder) fail(pos Pos, path, format string, args ...any) {
	*b.errs = append(*b.errs, Error{Pos: pos, Path: path, Message: fmt.Sprintf(format, args...)})
}

// build never returns nil: what is refused becomes a null, so that the rest of the file is still checked.
func (b *builder) build(y *yaml.Node, parent Pos, path string) *node {
	return b.buildFrom(y, parent, path, 0)
}

// buildFrom is build for a list whose first item stands at the index first in the document.
func (b *builder) buildFrom(y *yaml.Node, parent Pos, path string, first int) *node {
	n := &node{pos: posOf(b.file, y, parent), path: path}
	b.values++
	b.depth++
	defer func() { b.depth-- }()
	switch {
	case b.full:
		return n
	case b.values > maxValues:
		b.full = true
		b.fail(n.pos, path, "the document holds more than %d values once its aliases are followed; write fewer aliases", maxValues)
		return n
	case b.depth > maxDepth:
		b.fail(n.pos, path, "values are nested more than %d deep here", maxDepth)
		return n
	}
	tag := y.ShortTag()
	switch {
	case strings.HasPrefix(tag, includeTag):
		return b.include(y, n, first)
	case y.Kind == yaml.SequenceNode && tag != "!!seq", y.Kind == yaml.MappingNode && tag != "!!map":
		b.fail(n.pos, path, "the tag %s has no meaning here; remove it", clip(tag))
		return n
	}
	switch y.Kind {
	case yaml.AliasNode:
		return b.alias(y, n)
	case yaml.ScalarNode:
		b.scalar(y, n)
	case yaml.SequenceNode:
		b.openAnchor(y)
		n.kind = kindList
		for i, item := range y.Content {
			n.items = append(n.items, b.build(item, n.pos, fmt.Sprintf("%s[%d]", path, first+i)))
		}
		delete(b.open, y)
	case yaml.MappingNode:
		b.openAnchor(y)
		n.kind = kindMap
		b.mapping(y, n)
		delete(b.open, y)
	}
	return n
}

func (b *builder) openAnchor(y *yaml.Node) {
	if b.open == nil {
		b.open = map[*yaml.Node]bool{}
	}
	b.open[y] = true
}

func (b *builder) alias(y *yaml.Node, n *node) *node {
	if y.Alias == nil || b.open[y.Alias] {
		b.fail(n.pos, n.path, "the alias *%s stands inside the value it names", clip(y.Value))
		return n
	}
	return b.build(y.Alias, n.pos, n.path)
}

func (b *builder) scalar(y *yaml.Node, n *node) {
	n.tag, n.text = y.ShortTag(), y.Value
	n.plain = y.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) == 0
	switch n.tag {
	case "!!null":
		n.kind = kindNull
	case "!!str", "!!int", "!!float", "!!bool", "!!timestamp":
		n.kind = kindScalar
	case "!!merge":
		n.kind, n.tag = kindScalar, "!!str"
	default:
		b.fail(n.pos, n.path, "the tag %s has no meaning here; remove it", clip(n.tag))
	}
}

func (b *builder) mapping(y *yaml.Node, n *node) {
	seen := map[string]Pos{}
	var merged []*node
	for i := 0; i+1 < len(y.Content); i += 2 {
		k, v := y.Content[i], y.Content[i+1]
		pos := posOf(b.file, k, n.pos)
		if k.Kind == yaml.AliasNode && k.Alias != nil {
			k = k.Alias
		}
		if k.Kind != yaml.ScalarNode || strings.HasPrefix(k.ShortTag(), includeTag) {
			b.fail(pos, n.path, "a key must be plain text")
			continue
		}
		path := childPath(n.path, k.Value)
		if k.ShortTag() == "!!merge" {
			merged = append(merged, b.mergeSources(b.build(v, pos, n.path))...)
			continue
		}
		if first, twice := seen[k.Value]; twice {
			b.fail(pos, path, "the key is given twice, first in %s; keep one", first.from(b.file))
			continue
		}
		seen[k.Value] = pos
		n.entries = append(n.entries, entry{k.Value, pos, b.build(v, pos, path)})
	}
	// Keys written here win over merged ones, and earlier merge sources over later ones.
	for _, m := range merged {
		for _, e := range m.entries {
			if _, have := seen[e.key]; !have {
				seen[e.key] = e.keyPos
				n.entries = append(n.entries, e)
			}
		}
	}
}

// mergeSources is what stands behind <<: one mapping or a list of them.
func (b *builder) mergeSources(n *node) []*node {
	switch n.kind {
	case kindMap:
		return []*node{n}
	case kindList:
		var all []*node
		for _, item := range n.items {
			all = append(all, b.mergeSources(item)...)
		}
		return all
	}
	b.fail(n.pos, n.path, "<< merges mappings; this is none")
	return nil
}

// childPath quotes keys that would make a path ambiguous, as Matrix ids do.
func childPath(path, key string) string {
	for _, r := range key {
		if !(r == '_' || r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z') {
			return fmt.Sprintf("%s[%q]", path, clip(key))
		}
	}
	if path == "" {
		return key
	}
	if key == "" {
		return path + `[""]`
	}
	return path + "." + key
}

// clip bounds what a message quotes of the file (invariant 4).
func clip(s string) string {
	const most = 40
	runes := []rune(s)
	if len(runes) <= most {
		return s
	}
	return string(runes[:most]) + "…"
}
