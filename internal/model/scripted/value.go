package scripted

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// value is an argument before its places are filled; exactly one field is set.
type value struct {
	literal json.RawMessage
	text    template
	file    *included
	list    []value
	object  []field // in the order of the file
}

type field struct {
	name  string
	value value
}

// included is a file's text with replacements.
type included struct {
	content string
	replace []replacement
}

type replacement struct {
	old  string
	with template
}

// fill is the value as JSON.
func (v value) fill(m match) (json.RawMessage, error) {
	switch {
	case v.literal != nil:
		return v.literal, nil
	case v.file != nil:
		return v.file.fill(m)
	case v.list != nil:
		return compound('[', ']', len(v.list), func(i int) ([]byte, error) { return v.list[i].fill(m) })
	case v.object != nil:
		return compound('{', '}', len(v.object), func(i int) ([]byte, error) {
			raw, err := v.object[i].value.fill(m)
			if err != nil {
				return nil, fmt.Errorf("argument %s: %w", v.object[i].name, err)
			}
			return slices.Concat(quote(v.object[i].name), []byte(":"), raw), nil
		})
	}
	return v.text.json(m)
}

func compound(begin, end byte, n int, element func(int) ([]byte, error)) (json.RawMessage, error) {
	var b bytes.Buffer
	b.WriteByte(begin)
	for i := range n {
		raw, err := element(i)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(raw)
	}
	b.WriteByte(end)
	return b.Bytes(), nil
}

func (f included) fill(m match) (json.RawMessage, error) {
	var pairs []string
	for _, r := range f.replace {
		with, err := r.with.text(m)
		if err != nil {
			return nil, err
		}
		pairs = append(pairs, r.old, with)
	}
	return quote(strings.NewReplacer(pairs...).Replace(f.content)), nil
}
