package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"mindroom/internal/config/format"
)

// rootKeys is the table of the file's own keys.
func rootKeys(context.Context, string) (string, error) { return keyTable(format.Root()), nil }

// toolKeys is the table of what every toolkit takes.
func toolKeys(context.Context, string) (string, error) {
	return keyTable(&format.Object{Keys: append(format.ToolFilters(), format.ToolDeferral()...)}), nil
}

// keysOf describes the sections under some root keys, each with a title if there
// are several.
func keysOf(roots ...string) part {
	return func(context.Context, string) (string, error) {
		var b strings.Builder
		for _, name := range roots {
			k := format.Root().Find(name)
			if k == nil {
				return "", fmt.Errorf("the format has no root key %q", name)
			}
			describe(&b, inner(k.Shape), len(roots) > 1)
		}
		return b.String(), nil
	}
}

// describe writes a section's table, and those of the sections inside it. A section
// that stands in several places is described in the first.
func describe(b *strings.Builder, o *format.Object, titled bool) {
	if titled {
		fmt.Fprintf(b, "### %s\n\n%s\n\n", o.Name, o.Doc)
	}
	b.WriteString(keyTable(o) + "\n")
	for _, k := range o.Keys {
		if below := inner(k.Shape); below != nil && strings.HasPrefix(below.Name, o.Name) {
			describe(b, below, true)
		}
	}
}

// inner is the section that stands under a key, perhaps under free names or as an item.
func inner(s format.Shape) *format.Object {
	if s.Of != nil {
		return inner(*s.Of)
	}
	return s.Object
}

func keyTable(o *format.Object) string {
	var rows [][]string
	for _, k := range o.Keys {
		if k.Removed != "" {
			continue
		}
		meaning := k.Doc
		if k.Idle != "" {
			meaning += " *" + strings.ToUpper(k.Idle[:1]) + k.Idle[1:] + ".*"
		}
		rows = append(rows, []string{code(k.Name), what(k.Shape), standard(k), meaning})
	}
	return table([]string{"key", "what", "default", "meaning"}, rows)
}

// what says what may stand there.
func what(s format.Shape) string {
	text := kindOf(s)
	if s.Short != nil {
		text = kindOf(*s.Short) + ", or " + text
	}
	return text
}

func kindOf(s format.Shape) string {
	switch s.Kind {
	case format.Text:
		switch {
		case len(s.Words) > 8:
			return code(s.Words[0]) + ", " + code(s.Words[1]) + ", …"
		case s.Words != nil:
			return code(strings.Join(s.Words, "`, `"))
		case s.Form == format.Plain || s.Form == format.Filled:
			return "text"
		}
		return formNames[s.Form]
	case format.Bool:
		return "`true` or `false`"
	case format.Int, format.Number:
		return numbers(s)
	case format.List:
		return "list: " + what(*s.Of)
	case format.Map:
		return "mapping: " + what(*s.Of)
	case format.Tools:
		return "list of tools"
	case format.Free:
		return "anything"
	}
	return "section"
}

// formNames say what a text of a form is.
var formNames = map[format.Form]string{
	format.AgentRef: "agent", format.ModelRef: "model", format.WindowRef: "model", format.Room: "room", format.ManagedRoom: "room key",
	format.User: "Matrix id", format.Pattern: "pattern", format.Localpart: "name", format.Toolkit: "toolkit", format.Zone: "time zone",
	format.Below: "relative path", format.Variable: "variable", format.Skill: "skill", format.Entity: "name",
}

func numbers(s format.Shape) string {
	text := "number"
	if s.Kind == format.Int {
		text = "whole number"
	}
	show := func(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
	if s.Min != nil && s.Over {
		text += " over " + show(*s.Min)
	} else if s.Min != nil {
		text += ", " + show(*s.Min) + " or more"
	}
	if s.Max != nil && (s.Kind != format.Int || *s.Max < 1<<31-1) {
		text += ", at most " + show(*s.Max)
	}
	return text
}

func standard(k format.Key) string {
	switch v := k.Default.(type) {
	case nil:
		if k.Required {
			return "required"
		}
		return "–"
	case string:
		if v == "" {
			return "empty"
		}
		return code(v)
	case []string:
		return code("[" + strings.Join(v, ", ") + "]")
	case float64:
		return code(strconv.FormatFloat(v, 'f', -1, 64))
	default:
		return code(fmt.Sprint(v))
	}
}
