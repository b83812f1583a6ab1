package canonical

import (
	"bytes"
	"strconv"
	"strings"
)

// peek gives the next byte, or 0 at the end. A literal zero byte is an error wherever peek is used, so the two need no telling apart.
func (p *parser) peek() byte {
	if p.pos < len(p.in) {
		return p.in[p.pos]
	}
	return 0
}

func (p *parser) space() {
	for p.pos < len(p.in) {
		switch p.in[p.pos] {
		case ' ', '\t', '\n', '\r':
			p.pos++
		default:
			return
		}
	}
}

// skip consumes c with the white space around it when c comes next.
func (p *parser) skip(c byte) bool {
	p.space()
	if p.peek() != c {
		return false
	}
	p.pos++
	p.space()
	return true
}

func (p *parser) word(w string) bool { return bytes.HasPrefix(p.in[p.pos:], []byte(w)) }

// step is one level of the path to the value being read.
type step struct {
	object bool
	key    string
	index  int
}

// Bounds on what an error repeats of a document it refuses.
const (
	maxPathSteps = 8
	maxPathKey   = 40
)

func (p *parser) where() string {
	var b strings.Builder
	b.WriteByte('$')
	for i, s := range p.path {
		if i == maxPathSteps {
			b.WriteString("…")
			break
		}
		if !s.object {
			b.WriteString("[" + strconv.Itoa(s.index) + "]")
			continue
		}
		key := s.key
		if len(key) > maxPathKey {
			key = strings.ToValidUTF8(key[:maxPathKey], "") + "…"
		}
		if isName(key) {
			b.WriteString("." + key)
		} else {
			b.WriteString("[" + strconv.Quote(key) + "]")
		}
	}
	return b.String()
}

func isName(s string) bool {
	for i := range len(s) {
		c := s[i]
		if c != '_' && (c|0x20 < 'a' || c|0x20 > 'z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

func (p *parser) fail(at int, kind Kind, msg string) *SyntaxError {
	return &SyntaxError{Offset: at, Path: p.where(), Kind: kind, Msg: msg}
}

func (p *parser) failEnd() *SyntaxError {
	return p.fail(len(p.in), KindSyntax, "unexpected end of the document")
}

func (p *parser) failNaN(at int) *SyntaxError {
	return p.fail(at, KindNaN, "NaN and Infinity are not JSON; send null or a string instead")
}

func (p *parser) expected(what string) *SyntaxError {
	if p.pos >= len(p.in) {
		return p.failEnd()
	}
	return p.fail(p.pos, KindSyntax, "expected "+what)
}
