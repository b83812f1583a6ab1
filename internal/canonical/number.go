package canonical

import (
	"math"
	"strconv"
)

// maxIntegerDigits is CPython's default bound on converting between text and integers (sys.int_info). A longer one could be
// neither sent by the SDK nor read by a tool in Python, so it is refused at the door.
const maxIntegerDigits = 4300

// number reads the grammar itself because strconv also takes hexadecimal, underscores and infinities.
func (p *parser) number() (node, error) {
	start := p.pos
	if p.peek() == '-' {
		p.pos++
		if p.word("Infinity") {
			return node{}, p.failNaN(start)
		}
	}
	digits := p.pos
	switch {
	case p.peek() == '0':
		p.pos++
	case !p.digits():
		return node{}, p.expected("a digit")
	}
	integerEnd, float := p.pos, false
	if p.peek() == '.' {
		p.pos++
		float = true
		if !p.digits() {
			return node{}, p.expected("a digit after the decimal point")
		}
	}
	if p.peek()|0x20 == 'e' {
		p.pos++
		float = true
		if c := p.peek(); c == '+' || c == '-' {
			p.pos++
		}
		if !p.digits() {
			return node{}, p.expected("a digit in the exponent")
		}
	}
	text := p.in[start:p.pos]
	if float {
		return p.float(start, string(text))
	}
	if integerEnd-digits > maxIntegerDigits {
		return node{}, p.fail(start, KindOverflow, "integer has more than 4300 digits; send it as a string")
	}
	if string(text) == "-0" {
		text = text[1:] // an integer has no negative zero
	}
	return node{kind: kindScalar, text: text}, nil
}

func (p *parser) float(start int, text string) (node, error) {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil { // the grammar is checked, so only the range is left to fail
		return node{}, p.fail(start, KindOverflow, "number is too large for a double; send it as a string")
	}
	return node{kind: kindScalar, text: appendFloat(nil, f)}, nil
}

func (p *parser) digits() bool {
	start := p.pos
	for p.pos < len(p.in) && p.in[p.pos] >= '0' && p.in[p.pos] <= '9' {
		p.pos++
	}
	return p.pos > start
}

// appendFloat writes f, which must be finite, as Python's repr does: the shortest digits that read back as f, positional for
// exponents from -4 to 15, and always recognisable as a float.
func appendFloat(out []byte, f float64) []byte {
	start := len(out)
	abs := math.Abs(f)
	if abs == 0 || abs >= 1e-4 && abs < 1e16 {
		out = strconv.AppendFloat(out, f, 'f', -1, 64)
		for _, c := range out[start:] {
			if c == '.' {
				return out
			}
		}
		return append(out, ".0"...)
	}
	return strconv.AppendFloat(out, f, 'e', -1, 64)
}
