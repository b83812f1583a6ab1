package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sort"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"mindroom/internal/tool"
)

// function describes one function as a model meets it, with its arguments as a
// table and the schema itself folded away below.
func function(b *strings.Builder, f *tool.Function) error {
	var schema jsonschema.Schema
	if err := json.Unmarshal(f.Schema, &schema); err != nil {
		return fmt.Errorf("%s: %w", f.Name, err)
	}
	var whole bytes.Buffer
	if err := json.Indent(&whole, f.Schema, "", "  "); err != nil {
		return fmt.Errorf("%s: %w", f.Name, err)
	}
	fmt.Fprintf(b, "### %s\n\n", f.Name)
	if f.Confirm {
		b.WriteString("Asks for a person's confirmation whatever the rules say.\n\n")
	}
	fmt.Fprintf(b, "```text\n%s\n```\n\n%s", strings.TrimSpace(f.Description), arguments(f.Schema, &schema))
	fmt.Fprintf(b, "<details><summary>JSON Schema</summary>\n\n```json\n%s\n```\n\n</details>\n\n", whole.String())
	return nil
}

// arguments are the members of an argument schema, in the order of the schema's
// own text.
func arguments(raw json.RawMessage, schema *jsonschema.Schema) string {
	if len(schema.Properties) == 0 {
		return "No arguments.\n\n"
	}
	names := make([]string, 0, len(schema.Properties))
	for name := range schema.Properties {
		names = append(names, name)
	}
	place := func(name string) int { return bytes.Index(raw, []byte(`"`+name+`":{`)) }
	sort.Slice(names, func(i, j int) bool { return place(names[i]) < place(names[j]) })
	var rows [][]string
	for _, name := range names {
		p := schema.Properties[name]
		need := "optional"
		for _, r := range schema.Required {
			if r == name {
				need = "required"
			}
		}
		rows = append(rows, []string{code(name), types(p), need, p.Description})
	}
	return table([]string{"argument", "type", "", ""}, rows) + "\n"
}

func types(s *jsonschema.Schema) string {
	if len(s.Enum) > 0 {
		words := make([]string, len(s.Enum))
		for i, e := range s.Enum {
			words[i] = fmt.Sprint(e)
			if e == nil {
				words[i] = "null"
			}
		}
		return strings.Join(words, ", ")
	}
	if s.Type != "" {
		return s.Type
	}
	return strings.Join(s.Types, " or ")
}
