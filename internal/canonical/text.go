package canonical

import (
	"unicode/utf16"
	"unicode/utf8"
)

// str reads a string and gives its value and its canonical spelling, quotes included. A string without escapes already is
// canonical, so the common case copies nothing.
func (p *parser) str() (value string, canonical []byte, err error) {
	start := p.pos
	p.pos++
	for p.pos < len(p.in) {
		switch c := p.in[p.pos]; {
		case c == '"':
			p.pos++
			text := p.in[start:p.pos]
			return string(text[1 : len(text)-1]), text, nil
		case c == '\\':
			return p.escaped(start)
		case c < 0x20:
			return "", nil, p.failControl()
		default:
			p.pos++
		}
	}
	return "", nil, p.failEnd()
}

// escaped goes on from the first backslash of the string that began at start.
func (p *parser) escaped(start int) (string, []byte, error) {
	decoded := append([]byte(nil), p.in[start+1:p.pos]...)
	for p.pos < len(p.in) {
		switch c := p.in[p.pos]; {
		case c == '"':
			p.pos++
			return string(decoded), appendString(make([]byte, 0, len(decoded)+2), string(decoded)), nil
		case c == '\\':
			r, err := p.escape()
			if err != nil {
				return "", nil, err
			}
			decoded = utf8.AppendRune(decoded, r)
		case c < 0x20:
			return "", nil, p.failControl()
		default:
			decoded = append(decoded, c)
			p.pos++
		}
	}
	return "", nil, p.failEnd()
}

func (p *parser) failControl() *SyntaxError {
	return p.fail(p.pos, KindSyntax, "a control character in a string must be escaped")
}

func (p *parser) escape() (rune, error) {
	at := p.pos
	p.pos++
	c := p.peek()
	p.pos++
	switch c {
	case '"', '\\', '/':
		return rune(c), nil
	case 'b':
		return '\b', nil
	case 'f':
		return '\f', nil
	case 'n':
		return '\n', nil
	case 'r':
		return '\r', nil
	case 't':
		return '\t', nil
	case 'u':
		return p.unicode(at)
	}
	if at+1 >= len(p.in) {
		return 0, p.failEnd()
	}
	return 0, p.fail(at, KindSyntax, "unknown escape in a string")
}

func (p *parser) unicode(at int) (rune, error) {
	first, err := p.hex4()
	if err != nil || !utf16.IsSurrogate(first) {
		return first, err
	}
	if p.word(`\u`) {
		p.pos += 2
		second, err := p.hex4()
		if err != nil {
			return 0, err
		}
		if r := utf16.DecodeRune(first, second); r != utf8.RuneError {
			return r, nil
		}
	}
	return 0, p.fail(at, KindSurrogate, "an escaped surrogate has no partner; it is not a character")
}

func (p *parser) hex4() (rune, error) {
	if len(p.in)-p.pos < 4 {
		return 0, p.failEnd()
	}
	digits := p.in[p.pos : p.pos+4]
	var r rune
	for _, c := range digits {
		switch {
		case c >= '0' && c <= '9':
			r = r<<4 | rune(c-'0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			r = r<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, p.fail(p.pos, KindSyntax, "expected four hexadecimal digits after \\u")
		}
	}
	p.pos += 4
	return r, nil
}

// appendString escapes what Python escapes without ensure_ascii, and nothing else: encoding/json would also escape <, > and &
// and the two line separators.
func appendString(out []byte, s string) []byte {
	const hex = "0123456789abcdef"
	out = append(out, '"')
	from := 0
	for i := range len(s) {
		c := s[i]
		if c >= 0x20 && c != '"' && c != '\\' {
			continue
		}
		out = append(out, s[from:i]...)
		from = i + 1
		switch c {
		case '"', '\\':
			out = append(out, '\\', c)
		case '\b', '\t', '\n', '\f', '\r':
			out = append(out, '\\', "btn.fr"[c-'\b'])
		default:
			out = append(out, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
	}
	return append(append(out, s[from:]...), '"')
}
