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
		return fmt.Sprintf("%s: expected %s, received %s%s", at(path), strings.Join(types, " or "), describe(v), quoted(types, v))
	}
	if len(s.Enum) > 0 && !inEnum(s.Enum, v) {
		return fmt.Sprintf("%s: expected one of %s, received %s", at(path), enumText(s.Enum), describe(v))
	}
	switch x := v.(type) {
	case json.Number:
		return numberMismatch(s, x, path)
	case map[string]any:
		return objectMismatch(s, x, path)
	case []any:
		return arrayMismatch(s, x, path)
	}
	return ""
}

// numberMismatch holds a number to the range of its Go type, so that a number
// that would not decode is refused before the call begins. An integer without a
// maximum is an int64, the one Go integer for which the schema says no range.
func numberMismatch(s *jsonschema.Schema, n json.Number, path string) string {
	if len(typesOf(s)) == 0 {
		return ""
	}
	f, err := n.Float64()
	switch {
	case err != nil:
		return fmt.Sprintf("%s: expected a number of 64 bits, received %s", at(path), describe(n))
	case s.Minimum != nil && f < *s.Minimum, s.Maximum != nil && f > *s.Maximum:
		return fmt.Sprintf("%s: expected %s, received %s", at(path), rangeText(s), describe(n))
	}
	if slices.Contains(typesOf(s), "integer") && s.Maximum == nil {
		if _, err := n.Int64(); err != nil {
			return fmt.Sprintf("%s: expected an integer of 64 bits, received %s", at(path), describe(n))
		}
	}
	return ""
}

func arrayMismatch(s *jsonschema.Schema, x []any, path string) string {
	if s.MinItems != nil && len(x) < *s.MinItems || s.MaxItems != nil && len(x) > *s.MaxItems {
		return fmt.Sprintf("%s: expected %s, received %s", at(path), countText(s), describe(x))
	}
	if s.Items == nil {
		return ""
	}
	for i, item := range x {
		if msg := mismatch(s.Items, item, fmt.Sprintf("%s[%d]", path, i)); msg != "" {
			return msg
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
			if property = s.AdditionalProperties; property == nil {
				continue
			}
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

func typesOf(s *jsonschema.Schema) []string {
	if s.Type != "" {
		return []string{s.Type}
	}
	return s.Types
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
