package scripted

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// template is a text with places to fill.
type template []piece

// piece is a literal, or one place.
type piece struct {
	literal string
	place   *place
}

// place is one ${…}.
type place struct {
	source  string // user, agent, result, group (of user), resultGroup, pointer
	group   int
	name    string // of a group; empty for a numbered one
	pointer string
	written string // as in the file, for messages
}

var (
	identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	opening    = "${"
	escaped    = "$${"
)

// parseTemplate reads a text; w tells which groups there are.
func parseTemplate(text string, w when) (template, error) {
	var t template
	literal := func(s string) {
		if s != "" {
			t = append(t, piece{literal: s})
		}
	}
	for {
		at := strings.Index(text, opening)
		if at < 0 {
			literal(text)
			return t, nil
		}
		if at > 0 && text[at-1:at+2] == escaped {
			literal(text[:at-1] + opening)
			text = text[at+2:]
			continue
		}
		literal(text[:at])
		end := strings.IndexByte(text[at:], '}')
		if end < 0 {
			return nil, fmt.Errorf("%q has no closing brace; write $${ for a plain ${", text[at:])
		}
		p, err := parsePlace(text[at+2:at+end], w)
		if err != nil {
			return nil, err
		}
		t = append(t, piece{place: &p})
		text = text[at+end+1:]
	}
}

func parsePlace(inner string, w when) (place, error) {
	p := place{written: opening + inner + "}"}
	pointer, isPointer := strings.CutPrefix(inner, "result:")
	group, isResultGroup := strings.CutPrefix(inner, "result.")
	switch {
	case inner == "user", inner == "agent", inner == "result":
		p.source = inner
	case isPointer:
		if pointer != "" && pointer[0] != '/' {
			return p, fmt.Errorf("%s: a JSON pointer is empty or begins with /", p.written)
		}
		p.source, p.pointer = "pointer", pointer
	case isResultGroup:
		var re *regexp.Regexp
		if w.result != nil {
			re = w.result.text
		}
		p.source = "resultGroup"
		return p, p.setGroup(group, re, "result.text")
	default:
		p.source = "group"
		return p, p.setGroup(inner, w.user, "user")
	}
	if p.source != "user" && p.source != "agent" && w.result == nil {
		return p, fmt.Errorf("%s needs a rule with `result`", p.written)
	}
	return p, nil
}

func (p *place) setGroup(group string, re *regexp.Regexp, where string) error {
	count := 0
	if re != nil {
		count = re.NumSubexp()
	}
	if n, err := strconv.Atoi(group); err == nil && n >= 0 {
		if n > count {
			return fmt.Errorf("%s: the regexp of `%s` has %d groups", p.written, where, count)
		}
		p.group = n
		return nil
	}
	if !identifier.MatchString(group) {
		return fmt.Errorf("%s is not understood; write $${ for a plain ${", p.written)
	}
	if re == nil || re.SubexpIndex(group) < 0 {
		return fmt.Errorf("%s: the regexp of `%s` has no group %q; write $${ for a plain ${", p.written, where, group)
	}
	p.name = group
	return nil
}

// text fills the template.
func (t template) text(m match) (string, error) {
	var b strings.Builder
	for _, p := range t {
		if p.place == nil {
			b.WriteString(p.literal)
			continue
		}
		raw, err := p.place.value(m)
		if err != nil {
			return "", err
		}
		b.WriteString(plain(raw))
	}
	return b.String(), nil
}

// json fills the template as a JSON value: see sentence 4 of the package.
func (t template) json(m match) (json.RawMessage, error) {
	if len(t) == 1 && t[0].place != nil && t[0].place.source == "pointer" {
		return t[0].place.value(m)
	}
	text, err := t.text(m)
	if err != nil {
		return nil, err
	}
	return quote(text), nil
}

// value is what belongs in the place, as JSON.
func (p place) value(m match) (json.RawMessage, error) {
	switch p.source {
	case "user":
		return quote(m.view.user), nil
	case "agent":
		return quote(m.view.agent), nil
	case "group", "resultGroup":
		from := m.user
		if p.source == "resultGroup" {
			from = m.text
		}
		found, _ := from.find(p.group, p.name) // The loader has checked that there is such a group.
		return quote(found), nil
	case "result":
		return quote(m.result.Text), nil
	}
	raw, ok := pointed([]byte(m.result.Text), p.pointer)
	if !ok {
		return nil, fmt.Errorf("%s is not in the result of %s, which is: %s", p.written, m.result.Name, cite(m.result.Text))
	}
	return raw, nil
}

// plain is the text of a JSON value: a string's content, anything else as JSON.
func plain(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil && len(raw) > 0 && raw[0] == '"' {
		return text
	}
	return string(raw)
}
