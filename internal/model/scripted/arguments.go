package scripted

import (
	"encoding/json"
	"math"
	"slices"

	"go.yaml.in/yaml/v4"
)

// maxDepth bounds how deeply arguments nest.
const maxDepth = 32

func (l loader) calls(n *yaml.Node, w when) ([]callRule, error) {
	if n == nil {
		return nil, nil
	}
	if n.Kind != yaml.SequenceNode || len(n.Content) == 0 {
		return nil, l.fault(n, "`call` must be a list of at least one call")
	}
	var calls []callRule
	for _, item := range n.Content {
		fields, err := l.fields(item, "a call", "tool", "args", "raw")
		if err != nil {
			return nil, err
		}
		if fields["tool"] == nil {
			return nil, l.fault(item, "a call needs `tool`")
		}
		if fields["args"] != nil && fields["raw"] != nil {
			return nil, l.fault(fields["raw"], "a call has `args` or `raw`, not both")
		}
		var c callRule
		if c.tool, err = l.template(fields["tool"], w); err != nil {
			return nil, err
		}
		if fields["raw"] != nil {
			raw, err := l.template(fields["raw"], w)
			if err != nil {
				return nil, err
			}
			c.raw = &raw
		}
		if c.args, err = l.object(fields["args"], w, 0); err != nil {
			return nil, err
		}
		calls = append(calls, c)
	}
	return calls, nil
}

// object reads a mapping of arguments; nil is an empty one.
func (l loader) object(n *yaml.Node, w when, depth int) (value, error) {
	v := value{object: []field{}}
	if n == nil {
		return v, nil
	}
	fields, err := l.fields(n, "`args`")
	if err != nil {
		return v, err
	}
	for i := 0; i < len(n.Content); i += 2 {
		name := n.Content[i].Value
		inner, err := l.value(fields[name], w, depth+1)
		if err != nil {
			return v, err
		}
		v.object = append(v.object, field{name: name, value: inner})
	}
	return v, nil
}

func (l loader) value(n *yaml.Node, w when, depth int) (value, error) {
	if depth > maxDepth {
		return value{}, l.fault(n, "arguments nest deeper than %d", maxDepth)
	}
	switch n.Kind {
	case yaml.SequenceNode:
		v := value{list: []value{}}
		for _, item := range n.Content {
			inner, err := l.value(item, w, depth+1)
			if err != nil {
				return v, err
			}
			v.list = append(v.list, inner)
		}
		return v, nil
	case yaml.MappingNode:
		if names := keys(n); slices.Equal(names, []string{"file"}) || slices.Equal(names, []string{"file", "replace"}) {
			return l.inclusion(n, w)
		}
		return l.object(n, w, depth)
	case yaml.ScalarNode:
		return l.scalar(n, w)
	}
	return value{}, l.fault(n, "anchors and aliases are not used in rules")
}

func (l loader) scalar(n *yaml.Node, w when) (value, error) {
	switch n.ShortTag() {
	case "!!null", "!!bool", "!!int", "!!float":
		var decoded any
		if err := n.Decode(&decoded); err != nil {
			return value{}, l.fault(n, "%v", err)
		}
		if f, ok := decoded.(float64); ok && (math.IsNaN(f) || math.IsInf(f, 0)) {
			return value{}, l.fault(n, "%s has no form in JSON", n.Value)
		}
		raw, err := json.Marshal(decoded)
		if err != nil {
			return value{}, l.fault(n, "%v", err)
		}
		return value{literal: raw}, nil
	}
	t, err := l.template(n, w)
	if len(t) == 0 {
		return value{literal: json.RawMessage(`""`)}, err
	}
	return value{text: t}, err
}

// inclusion reads an inclusion. See sentence 5 of the package.
func (l loader) inclusion(n *yaml.Node, w when) (value, error) {
	fields, err := l.fields(n, "an included file", "file", "replace")
	if err != nil {
		return value{}, err
	}
	path, err := l.text(fields["file"])
	if err != nil {
		return value{}, err
	}
	content, err := l.include(path)
	if err != nil {
		return value{}, l.fault(fields["file"], "%v", err)
	}
	v := value{file: &included{content: content}}
	if fields["replace"] == nil {
		return v, nil
	}
	if _, err := l.fields(fields["replace"], "`replace`"); err != nil {
		return v, err
	}
	pairs := fields["replace"].Content
	for i := 0; i < len(pairs); i += 2 {
		with, err := l.template(pairs[i+1], w)
		if err != nil {
			return v, err
		}
		if pairs[i].Value == "" {
			return v, l.fault(pairs[i], "the text to replace is empty")
		}
		v.file.replace = append(v.file.replace, replacement{old: pairs[i].Value, with: with})
	}
	return v, nil
}

func keys(n *yaml.Node) []string {
	var names []string
	for i := 0; i < len(n.Content); i += 2 {
		names = append(names, n.Content[i].Value)
	}
	slices.Sort(names)
	return names
}
