package tool

import (
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"mindroom/internal/canonical"
)

// checkArguments holds arguments to a function's schema and names the first
// place that does not fit, what was expected there and what was received. It
// covers the keywords our Go types make.
func checkArguments(f *Function, args canonical.Doc) *Fault {
	if f.arguments == nil {
		return nil
	}
	var v any
	if err := args.Decode(&v); err != nil {
		return Faultf(FaultArguments, "the arguments of %s cannot be read: %v", f.Name, err)
	}
	if msg := mismatch(f.arguments, v, ""); msg != "" {
		return Faultf(FaultArguments, "the arguments of %s do not fit: %s", f.Name, msg)
	}
	return nil
}

// mismatch is empty when v fits s; otherwise it says where, what was expected
// and what was received.
func mismatch(s *jsonschema.Schema, v any, path string) string {
	if types := typesOf(s); len(types) > 0 && !slices.ContainsFunc(types, func(t string) bool { return hasType(v, t) }) {
		return fmt.Sprintf("%s: expected %s, received %s", at(path), strings.Join(types, " or "), describe(v))
	}
	if len(s.Enum) > 0 && !inEnum(s.Enum, v) {
		return fmt.Sprintf("%s: expected one of %s, received %s", at(path), enumText(s.Enum), describe(v))
	}
	switch x := v.(type) {
	case map[string]any:
		return objectMismatch(s, x, path)
	case []any:
		if s.Items == nil {
			return ""
		}
		for i, item := range x {
			if msg := mismatch(s.Items, item, fmt.Sprintf("%s[%d]", path, i)); msg != "" {
				return msg
			}
		}
	}
	return ""
}

func objectMismatch(s *jsonschema.Schema, x map[string]any, path string) string {
	for _, name := range s.Required {
		if _, ok := x[name]; !ok {
			return fmt.Sprintf("%s: expected %s, received nothing", at(join(path, name)), expected(s.Properties[name]))
		}
	}
	names := make([]string, 0, len(x))
	for name := range x {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		property, ok := s.Properties[name]
		if !ok {
			if closed(s) {
				return fmt.Sprintf("%s: no such argument; it takes %s", at(join(path, name)), known(s))
			}
			continue
		}
		if msg := mismatch(property, x[name], join(path, name)); msg != "" {
			return msg
		}
	}
	return ""
}

// closed reports whether an object schema forbids other members. The library
// writes "false" as {"not": {}}.
func closed(s *jsonschema.Schema) bool {
	return s.AdditionalProperties != nil && s.AdditionalProperties.Not != nil
}

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

func typesOf(s *jsonschema.Schema) []string {
	if s.Type != "" {
		return []string{s.Type}
	}
	return s.Types
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

func hasType(v any, t string) bool {
	switch t {
	case "null":
		return v == nil
	case "boolean":
		_, ok := v.(bool)
		return ok
	case "string":
		_, ok := v.(string)
		return ok
	case "array":
		_, ok := v.([]any)
		return ok
	case "object":
		_, ok := v.(map[string]any)
		return ok
	case "number", "integer":
		n, ok := v.(json.Number)
		if !ok {
			return false
		}
		return t == "number" || !strings.ContainsAny(n.String(), ".eE")
	}
	return false
}

func inEnum(enum []any, v any) bool {
	for _, e := range enum {
		if fmt.Sprint(e) == fmt.Sprint(v) && hasSameKind(e, v) {
			return true
		}
	}
	return false
}

func hasSameKind(e, v any) bool {
	_, a := e.(string)
	_, b := v.(string)
	return a == b
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
