package canonical

import (
	"fmt"
	"unicode/utf8"
)

// DefaultDepth is how deep arrays and objects may nest when Limits.Depth is zero. The SDK stops at 100, well before it, so
// that a script learns of the limit locally.
const DefaultDepth = 128

// Limits bounds one document. The zero value means DefaultDepth and no limit on size.
type Limits struct {
	Bytes int // most bytes of input; 0 or less: unlimited, for callers that have bounded the input already
	Depth int // most levels of arrays and objects; 0 or less: DefaultDepth; a lone scalar has no level
	// Unique refuses an object with two equal keys, at any depth, as the turn CLI's protocol demands on both sides
	// (spec/agentcli.md 1.1 and 2.2). Without it the last of them wins.
	Unique bool
}

// Parse reads exactly one strict JSON document (RFC 8259, UTF-8 without a byte order mark). Of equal keys the last wins, as in
// Python, unless Limits.Unique refuses them. The input is copied; the caller may reuse it. Every error is a *SyntaxError.
func Parse(input []byte, limits Limits) (Doc, error) {
	if limits.Bytes > 0 && len(input) > limits.Bytes {
		return Doc{}, &SyntaxError{Offset: limits.Bytes, Path: "$", Kind: KindSize,
			Msg: fmt.Sprintf("document has %d bytes; at most %d are accepted", len(input), limits.Bytes)}
	}
	p := &parser{in: input, maxDepth: limits.Depth, unique: limits.Unique}
	if p.maxDepth <= 0 {
		p.maxDepth = DefaultDepth
	}
	if at := invalidUTF8(input); at >= 0 {
		return Doc{}, p.fail(at, KindUTF8, "text is not valid UTF-8")
	}
	root, err := p.document()
	if err != nil {
		return Doc{}, err
	}
	return newDoc(string(input), root.appendTo(make([]byte, 0, len(input))), root.kind == kindObject), nil
}

// invalidUTF8 gives the offset of the first malformed sequence, or -1. Go's decoder also refuses encoded surrogates.
func invalidUTF8(b []byte) int {
	if utf8.Valid(b) {
		return -1
	}
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n <= 1 {
			return i
		}
		i += n
	}
	return -1
}

type parser struct {
	in       []byte
	pos      int
	maxDepth int
	unique   bool
	path     []step
}

func (p *parser) document() (node, error) {
	p.space()
	root, err := p.value()
	if err != nil {
		return node{}, err
	}
	p.space()
	if p.pos < len(p.in) {
		return node{}, p.fail(p.pos, KindTrailing, "unexpected data after the document; send exactly one JSON value")
	}
	return root, nil
}

func (p *parser) value() (node, error) {
	switch c := p.peek(); {
	case c == '{':
		return p.object()
	case c == '[':
		return p.array()
	case c == '"':
		_, text, err := p.str()
		return node{kind: kindScalar, text: text}, err
	case c == '-' || c >= '0' && c <= '9':
		return p.number()
	default:
		return p.literal()
	}
}

// literal reads true, false and null, and tells Python's NaN and Infinity from mere nonsense.
func (p *parser) literal() (node, error) {
	for _, word := range [...]string{"true", "false", "null"} {
		if p.word(word) {
			text := p.in[p.pos : p.pos+len(word)]
			p.pos += len(word)
			return node{kind: kindScalar, text: text}, nil
		}
	}
	if p.word("NaN") || p.word("Infinity") {
		return node{}, p.failNaN(p.pos)
	}
	if p.pos >= len(p.in) {
		return node{}, p.failEnd()
	}
	return node{}, p.fail(p.pos, KindSyntax, "expected a JSON value")
}

func (p *parser) array() (node, error) {
	if err := p.enter(step{}); err != nil {
		return node{}, err
	}
	n := node{kind: kindArray}
	if p.skip(']') {
		p.leave()
		return n, nil
	}
	for {
		p.path[len(p.path)-1].index = len(n.items)
		item, err := p.value()
		if err != nil {
			return node{}, err
		}
		n.items = append(n.items, item)
		if p.skip(']') {
			p.leave()
			return n, nil
		}
		if !p.skip(',') {
			return node{}, p.expected("',' or ']'")
		}
	}
}

func (p *parser) object() (node, error) {
	if err := p.enter(step{object: true}); err != nil {
		return node{}, err
	}
	n := node{kind: kindObject}
	if p.skip('}') {
		p.leave()
		return n, nil
	}
	for {
		if p.peek() != '"' {
			return node{}, p.expected("a key in double quotes")
		}
		at := p.pos
		key, text, err := p.str()
		if err != nil {
			return node{}, err
		}
		if !p.skip(':') {
			return node{}, p.expected("':' after the key")
		}
		p.path[len(p.path)-1].key = key
		value, err := p.value()
		if err != nil {
			return node{}, err
		}
		n.members = append(n.members, member{at: at, key: key, keyText: text, value: value})
		if p.skip('}') {
			return p.close(n)
		}
		if !p.skip(',') {
			return node{}, p.expected("',' or '}'")
		}
	}
}

// close ends the object that was read into n.
func (p *parser) close(n node) (node, error) {
	n.sort()
	if again := n.repeated(); again != nil && p.unique {
		p.path[len(p.path)-1].key = again.key
		return node{}, p.fail(again.at, KindDuplicate, "this key is in the object twice; send it once")
	}
	p.leave()
	n.dedupe()
	return n, nil
}

func (p *parser) enter(s step) error {
	if len(p.path) >= p.maxDepth {
		return p.fail(p.pos, KindDepth, fmt.Sprintf("nested deeper than %d levels; send a flatter value", p.maxDepth))
	}
	p.path = append(p.path, s)
	p.pos++
	p.space()
	return nil
}

func (p *parser) leave() { p.path = p.path[:len(p.path)-1] }
