package main

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v4"

	"mindroom/internal/config"
	"mindroom/internal/runtime"
)

func newConfigShow(u *ui) *cobra.Command {
	var at place
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "show [flags]",
		Short: "Print the configuration in force",
		Long: `Print the configuration in force: with what agents take from defaults, with what the
format supplies for keys that are absent, with every tool an agent ends up with, and
with the settings of the environment and the .env file.

Secrets are hidden; of those in the environment it says only whether they are set.`,
		Example: `  mindroom config show
  mindroom config show --json | jq '.agents[] | {name, model, tools: [.tools[].name]}'`,
		Args: exactly(),
		RunE: func(*cobra.Command, []string) error {
			path, err := at.find(u)
			if err != nil {
				return err
			}
			v, err := at.view(u, path)
			if err != nil {
				return u.refused(path, err)
			}
			if asJSON {
				return u.json(v)
			}
			return u.yaml(v)
		},
	}
	at.flags(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object on stdout")
	return documented(cmd, page{notes: map[int]string{exitFailed: "the configuration has errors, or cannot be read"}})
}

// view reads everything that `run` would read before it starts.
func (p *place) view(u *ui, path string) (view, error) {
	env, set, err := p.load(u, path)
	if err != nil {
		return view{}, err
	}
	catalog, err := runtime.Catalog()
	if err != nil {
		return view{}, err
	}
	c, _, err := config.Load(path, catalog, env)
	if err != nil {
		return view{}, err
	}
	return viewOf(c, set), nil
}

// yaml prints v as its JSON would be, but for people.
func (u *ui) yaml(v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	var document yaml.Node
	if err := yaml.Load(text, &document); err != nil {
		return fmt.Errorf("show as YAML: %w", err)
	}
	block(&document)
	var b bytes.Buffer
	dumper, err := yaml.NewDumper(&b, yaml.WithIndent(2))
	if err != nil {
		return fmt.Errorf("show as YAML: %w", err)
	}
	if err := dumper.Dump(&document); err != nil {
		return fmt.Errorf("show as YAML: %w", err)
	}
	if err := dumper.Close(); err != nil {
		return fmt.Errorf("show as YAML: %w", err)
	}
	_, err = u.out.Write(b.Bytes())
	return err
}

// block takes off the style that JSON's braces and quotes left. Strings keep their
// tag, so the writer quotes what would be read as something else.
func block(n *yaml.Node) {
	if n.Kind == yaml.ScalarNode {
		n.Tag = n.ShortTag()
	}
	if n.Kind != yaml.ScalarNode || n.Tag != "!!str" || plainWord(n.Value) {
		n.Style = 0
	}
	for _, inner := range n.Content {
		block(inner)
	}
}

// plainWord tells text that no reader of YAML takes for anything but text.
func plainWord(s string) bool {
	switch s {
	case "yes", "no", "on", "off", "y", "n", "":
		return false
	}
	return true
}
