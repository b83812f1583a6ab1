package turncli

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"mindroom/internal/excerpt"
	"mindroom/internal/tool"
)

const (
	// describedBytes bounds a description in a list.
	describedBytes = 600
	// signedArguments bounds how many arguments a signature names, signedBytes how
	// long it may be: names and values of a schema that came from outside have no
	// bound of their own, and an item that no answer holds would end every list.
	signedArguments = 16
	signedBytes     = 1200
	// typedBytes bounds what a signature says of one argument's values.
	typedBytes = 200
)

// firstParagraph is what stands in a list of a description.
func firstParagraph(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n\n")
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > describedBytes {
		s = excerpt.Head(s, describedBytes) + "…"
	}
	return s
}

// property is what a signature says of one argument.
type property struct {
	name string
	schema
}

type schema struct {
	Type        json.RawMessage `json:"type"`
	Description string          `json:"description"`
	Enum        []any           `json:"enum"`
	Items       *schema         `json:"items"`
}

// signature is a function with its arguments: read_url(url: string, limit?: integer).
func signature(f *tool.Function) string {
	properties, required := arguments(f.Schema)
	var parts []string
	size := 0
	for i, p := range properties {
		mark := "?"
		if slices.Contains(required, p.name) {
			mark = ""
		}
		part := p.name + mark + ": " + p.typed()
		if size += len(part); i == signedArguments || size > signedBytes {
			parts = append(parts, "…")
			break
		}
		parts = append(parts, part)
	}
	return f.Name.Function + "(" + strings.Join(parts, ", ") + ")"
}

// arguments are the properties of an object schema, required ones first and
// otherwise in the schema's order. A schema that cannot be read has none: what it
// really says is told by describe.
func arguments(raw json.RawMessage) (properties []property, required []string) {
	var s struct {
		Properties json.RawMessage `json:"properties"`
		Required   []string        `json:"required"`
	}
	if json.Unmarshal(raw, &s) != nil || len(s.Properties) == 0 {
		return nil, nil
	}
	d := json.NewDecoder(strings.NewReader(string(s.Properties)))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, nil
	}
	for d.More() {
		name, err := d.Token()
		p := property{}
		if err == nil {
			err = d.Decode(&p.schema)
		}
		if err != nil {
			return nil, nil
		}
		p.name, _ = name.(string)
		properties = append(properties, p)
	}
	rank := func(p property) int {
		if slices.Contains(s.Required, p.name) {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(properties, func(a, b property) int { return rank(a) - rank(b) })
	return properties, s.Required
}

// typed is the type in a few characters.
func (s schema) typed() string {
	var one string
	var several []string
	if json.Unmarshal(s.Type, &one) != nil {
		_ = json.Unmarshal(s.Type, &several) // neither: any
		several = slices.DeleteFunc(several, func(t string) bool { return t == "null" })
		one = strings.Join(several, "|")
	}
	switch {
	case len(s.Enum) > 0 && len(s.Enum) <= 6:
		if values := s.values(); len(values) <= typedBytes {
			return values
		}
		return "enum" // describe tells them
	case one == "array" && s.Items != nil:
		return s.Items.typed() + "[]"
	case one == "":
		return "any"
	}
	return one
}

// values are those that an argument may have.
func (s schema) values() string {
	var values []string
	for _, v := range s.Enum {
		if v != nil {
			values = append(values, fmt.Sprintf("%q", fmt.Sprint(v)))
		}
	}
	return strings.Join(values, "|")
}
