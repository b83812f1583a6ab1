package config

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"mindroom/internal/secret"
)

// Resolve reads the configuration at path with everything it includes, follows anchors and merges, and writes it as one YAML
// document with sorted keys. Nothing is judged but what makes the text unreadable, which comes as Errors. Where a secret
// stands, secret.Mark is written.
func Resolve(path string) ([]byte, error) {
	c, err := readComposed(path)
	switch {
	case err != nil:
		return nil, err
	case c.fault != nil:
		return nil, c.fault
	case len(c.errs) > 0:
		sortErrors(c.errs, c.source.Files)
		return nil, c.errs
	}
	return c.tree.print()
}

// print writes the value as a document.
func (n *node) print() ([]byte, error) {
	var b bytes.Buffer
	dumper, err := yaml.NewDumper(&b, yaml.WithIndent(2))
	if err == nil {
		err = errors.Join(dumper.Dump(n.yaml()), dumper.Close())
	}
	if err != nil {
		return nil, fmt.Errorf("write the configuration as YAML: %w", err)
	}
	return b.Bytes(), nil
}

// yaml is the value for the writer.
func (n *node) yaml() *yaml.Node {
	switch n.kind {
	case kindList:
		list := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
		for _, item := range n.items {
			list.Content = append(list.Content, item.yaml())
		}
		return list
	case kindMap:
		mapping := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		for _, e := range slices.SortedFunc(slices.Values(n.entries), func(a, b entry) int { return strings.Compare(a.key, b.key) }) {
			value := e.value.yaml()
			if e.value.kind == kindScalar && e.value.tag == "!!str" && secret.IsName(e.key) {
				value = text(secret.Mark)
			}
			mapping.Content = append(mapping.Content, text(e.key), value)
		}
		return mapping
	case kindNull:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null"}
	}
	if shown := secret.Default.Redact(n.text); n.tag == "!!str" && (!n.plain || shown != n.text) {
		return text(shown)
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: n.tag, Value: n.text}
}

// text quotes what a reader of YAML, an old one too, would take for something else.
func text(s string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s}
	switch strings.ToLower(s) {
	case "yes", "no", "on", "off", "y", "n", "true", "false", "null", "~", "":
		n.Style = yaml.DoubleQuotedStyle
	default:
		if strings.Contains(s, "\n") {
			n.Style = yaml.LiteralStyle
		}
	}
	return n
}
