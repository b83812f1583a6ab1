package tool

import (
	"encoding/json"
	"fmt"
	"sort"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"mindroom/internal/canonical"
)

func known(s *jsonschema.Schema) string {
	names := make([]string, 0, len(s.Properties))
	for name := range s.Properties {
		names = append(names, name)
	}
	if len(names) == 0 {
		return "none"
	}
	sort.Strings(names)
	return strings.Join(names, ", ")
}

func expected(s *jsonschema.Schema) string {
	if s == nil {
		return "a value"
	}
	if types := typesOf(s); len(types) > 0 {
		return strings.Join(types, " or ")
	}
	return "a value"
}

// rangeText says which numbers a schema takes; it has at least one bound.
func rangeText(s *jsonschema.Schema) string {
	switch {
	case s.Minimum == nil:
		return fmt.Sprintf("at most %v", *s.Maximum)
	case s.Maximum == nil:
		return fmt.Sprintf("at least %v", *s.Minimum)
	}
	return fmt.Sprintf("a number from %v to %v", *s.Minimum, *s.Maximum)
}

// countText says how many items a schema takes; it has at least one bound.
func countText(s *jsonschema.Schema) string {
	switch {
	case s.MinItems == nil:
		return fmt.Sprintf("at most %d items", *s.MaxItems)
	case s.MaxItems == nil:
		return fmt.Sprintf("at least %d items", *s.MinItems)
	case *s.MinItems == *s.MaxItems:
		return fmt.Sprintf("%d items", *s.MinItems)
	}
	return fmt.Sprintf("%d to %d items", *s.MinItems, *s.MaxItems)
}

func enumText(enum []any) string {
	parts := make([]string, len(enum))
	for i, e := range enum {
		raw, err := json.Marshal(e)
		if err != nil {
			raw = []byte(fmt.Sprint(e))
		}
		parts[i] = string(raw)
	}
	return strings.Join(parts, ", ")
}

// describe says what was received: its kind and, where short, its value.
func describe(v any) string {
	switch x := v.(type) {
	case nil:
		return "null"
	case bool:
		return fmt.Sprintf("the boolean %v", x)
	case json.Number:
		return "the number " + bounded(x.String(), 40)
	case string:
		return fmt.Sprintf("the string %q", bounded(x, 40))
	case []any:
		return fmt.Sprintf("an array of %d", len(x))
	case map[string]any:
		return fmt.Sprintf("an object of %d members", len(x))
	}
	return "something else"
}

// quoted says so where a text holds the very value that was expected, as models
// send it: nothing is taken out of its quotes here, because a text may be meant.
func quoted(types []string, v any) string {
	text, ok := v.(string)
	if !ok {
		return ""
	}
	doc, err := canonical.Parse([]byte(text), canonical.Limits{})
	if err != nil {
		return ""
	}
	var inside any
	if err := doc.Decode(&inside); err != nil || inside == nil {
		return ""
	}
	for _, t := range types {
		if hasType(inside, t) {
			return fmt.Sprintf(" that holds one; send the %s itself, without quotes around it", t)
		}
	}
	return ""
}

func at(path string) string {
	if path == "" {
		return "arguments"
	}
	return path
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
