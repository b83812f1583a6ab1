package scripted

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"mindroom/internal/model"
)

func (l loader) fault(n *yaml.Node, format string, args ...any) *FileError {
	return &FileError{File: l.file, Line: n.Line, Text: fmt.Sprintf(format, args...)}
}

// fields reads a mapping; what names it in errors. With no allowed names, any will do.
func (l loader) fields(n *yaml.Node, what string, allowed ...string) (map[string]*yaml.Node, error) {
	if n.Kind != yaml.MappingNode {
		return nil, l.fault(n, "%s must be a mapping", what)
	}
	fields := make(map[string]*yaml.Node, len(n.Content)/2)
	for i := 0; i < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		switch {
		case key.Kind != yaml.ScalarNode || key.ShortTag() == "!!merge":
			return nil, l.fault(key, "a key of %s must be plain text", what)
		case len(allowed) > 0 && !slices.Contains(allowed, key.Value):
			return nil, l.fault(key, "%s does not know %q: known are %s", what, key.Value, strings.Join(allowed, ", "))
		case fields[key.Value] != nil:
			return nil, l.fault(key, "%q is there twice", key.Value)
		case value.Kind == yaml.AliasNode || value.Anchor != "":
			return nil, l.fault(value, "anchors and aliases are not used in rules")
		}
		fields[key.Value] = value
	}
	return fields, nil
}

// text reads a scalar as it is written; nil is empty.
func (l loader) text(n *yaml.Node) (string, error) {
	if n == nil {
		return "", nil
	}
	if n.Kind != yaml.ScalarNode || n.ShortTag() == "!!null" {
		return "", l.fault(n, "text is expected here")
	}
	return n.Value, nil
}

func (l loader) template(n *yaml.Node, w when) (template, error) {
	text, err := l.text(n)
	if err != nil || n == nil {
		return nil, err
	}
	t, err := parseTemplate(text, w)
	if err != nil {
		return nil, l.fault(n, "%v", err)
	}
	return t, nil
}

func (l loader) count(n *yaml.Node) (*int, error) {
	if n == nil {
		return nil, nil
	}
	number, err := strconv.Atoi(n.Value)
	if err != nil || number < 0 || n.Kind != yaml.ScalarNode {
		return nil, l.fault(n, "a number of at least 0 is expected here")
	}
	return &number, nil
}

func (l loader) truth(n *yaml.Node) (*bool, error) {
	if n == nil {
		return nil, nil
	}
	var b bool
	if n.ShortTag() != "!!bool" || n.Decode(&b) != nil {
		return nil, l.fault(n, "true or false is expected here")
	}
	return &b, nil
}

func (l loader) oneOf(n *yaml.Node, allowed ...string) (string, error) {
	text, err := l.text(n)
	if err != nil || n == nil {
		return "", err
	}
	if !slices.Contains(allowed, text) {
		return "", l.fault(n, "%q is not known: choose one of %s", text, strings.Join(allowed, ", "))
	}
	return text, nil
}

// failures are the kinds a rule may fail with.
func failures() []string {
	var names []string
	for _, k := range []model.Kind{
		model.KindAuth, model.KindRateLimit, model.KindOverloaded, model.KindContextOverflow, model.KindBadRequest,
		model.KindNetwork, model.KindTimeout, model.KindRefused, model.KindOther,
	} {
		names = append(names, string(k))
	}
	return names
}
