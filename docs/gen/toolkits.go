package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"mindroom/internal/config"
	"mindroom/internal/runtime"
	"mindroom/internal/tool"
)

// toolkits describes every toolkit of this build: its settings with their
// defaults, and its functions with the JSON Schema of their arguments, all with
// the default settings.
func toolkits(context.Context, string) (string, error) {
	registry, err := runtime.Catalog()
	if err != nil {
		return "", err
	}
	surface, err := everything(registry)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, name := range slices.Sorted(slices.Values(surface.Toolkits())) {
		fmt.Fprintf(&b, "## %s\n\n%s.\n\n", name, strings.TrimSuffix(registry.Purpose(name), "."))
		fields, _ := registry.Fields(name)
		b.WriteString(settings(fields))
		for _, f := range surface.Functions() {
			if f.Name.Toolkit != name {
				continue
			}
			if err := function(&b, f); err != nil {
				return "", err
			}
		}
	}
	return b.String(), nil
}

// everything is the surface of an agent that has every toolkit.
func everything(registry *tool.Registry) (*tool.Surface, error) {
	text := "models: {default: {provider: scripted, id: none}}\n" +
		"agents: {all: {display_name: All, memory_backend: file, delegate_to: [all], background_jobs: true, tools: [" + strings.Join(registry.Names(), ", ") + "]}}\n" +
		"defaults: {tools: []}\n"
	c, _, err := config.Parse("/config.yaml", []byte(text), registry, config.Env{})
	if err != nil {
		return nil, err
	}
	s, err := registry.Surface(config.NewHolder(c).Current(), "all")
	if err == nil && len(s.Problems) > 0 {
		err = s.Problems[0]
	}
	return s, err
}

func settings(fields []config.Field) string {
	if len(fields) == 0 {
		return "No settings.\n\n"
	}
	var rows [][]string
	for _, f := range fields {
		limits := "–"
		switch {
		case f.Min != nil && f.Max != nil:
			limits = fmt.Sprintf("%v to %v", *f.Min, *f.Max)
		case f.Min != nil:
			limits = fmt.Sprintf("at least %v", *f.Min)
		case f.Max != nil:
			limits = fmt.Sprintf("at most %v", *f.Max)
		}
		rows = append(rows, []string{code(f.Name), string(f.Kind), value(f), limits, f.Doc})
	}
	return table([]string{"setting", "kind", "default", "limits", ""}, rows) + "\n"
}

func value(f config.Field) string {
	if f.Default != nil {
		return code(fmt.Sprint(f.Default))
	}
	return map[config.FieldKind]string{
		config.KindBool: "`false`", config.KindInt: "`0`", config.KindNumber: "`0`", config.KindString: "empty", config.KindStrings: "`[]`",
	}[f.Kind]
}
