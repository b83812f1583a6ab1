package format

import "strings"

// Offer is a toolkit of a build, and what may be set below its name.
type Offer struct {
	Name     string
	Settings *Object
}

// Schema makes the JSON Schema (draft 7, which editors understand) of a file, for a build with these toolkits. Null is allowed
// wherever the loader takes it for absence. It is stricter than the loader in two things: booleans are true and false only, and
// an !include has to be known to the editor.
func Schema(toolkits []Offer) map[string]any {
	m := schemaMaker{toolkits: toolkits, definitions: map[string]any{}}
	for _, t := range toolkits {
		m.names = append(m.names, t.Name)
		m.definitions["settings "+t.Name] = m.object(t.Settings)
		entry := *t.Settings
		entry.Keys = append(entry.Keys[:len(entry.Keys):len(entry.Keys)], ToolDeferral()...)
		m.definitions["deferrable "+t.Name] = m.object(&entry)
	}
	m.definitions["tools"] = m.tools(true)
	m.definitions["default tools"] = m.tools(false)
	s := m.object(root)
	s["$schema"] = "http://json-schema.org/draft-07/schema#"
	s["title"] = "MindRoom configuration"
	s["definitions"] = m.definitions
	return s
}

type schemaMaker struct {
	toolkits    []Offer
	names       []string
	definitions map[string]any
}

// object is the schema of a mapping with fixed keys.
func (m *schemaMaker) object(o *Object) map[string]any {
	properties, required := map[string]any{}, []string{}
	for _, k := range o.Keys {
		if k.Removed != "" {
			continue
		}
		properties[k.Name] = m.key(k)
		if k.Required {
			required = append(required, k.Name)
		}
	}
	s := map[string]any{"type": "object", "description": o.Doc, "properties": properties, "additionalProperties": o.Open}
	if len(required) > 0 {
		s["required"] = required
	}
	var all []any
	for _, pair := range o.Exclusive {
		all = append(all, map[string]any{"not": map[string]any{"allOf": []any{present(pair[0]), present(pair[1])}}})
	}
	if o.Any != nil {
		var some []any
		for _, name := range o.Any {
			some = append(some, present(name))
		}
		all = append(all, map[string]any{"anyOf": some})
	}
	if all != nil {
		s["allOf"] = all
	}
	return s
}

// present is a schema for a mapping in which the key is there and not null.
func present(name string) map[string]any {
	return map[string]any{
		"required":   []string{name},
		"properties": map[string]any{name: map[string]any{"not": map[string]any{"type": "null"}}},
	}
}

func (m *schemaMaker) key(k Key) map[string]any {
	value := m.shape(k.Shape)
	if !k.Required {
		value = nullable(value)
	}
	value["description"] = k.Doc
	if k.Idle != "" {
		value["description"] = strings.TrimSuffix(k.Doc, ".") + " (" + k.Idle + ")."
	}
	if k.Default != nil {
		value["default"] = k.Default
	}
	return value
}

func (m *schemaMaker) shape(s Shape) map[string]any {
	made := m.kind(s)
	if s.Short != nil {
		made = map[string]any{"anyOf": []any{m.shape(*s.Short), made}}
	}
	if s.Also != "" {
		made = map[string]any{"anyOf": []any{made, map[string]any{"const": s.Also}}}
	}
	return made
}

func (m *schemaMaker) kind(s Shape) map[string]any {
	switch s.Kind {
	case Text:
		return m.text(s)
	case Bool:
		return map[string]any{"type": "boolean"}
	case Int:
		return limits(s, "integer")
	case Number:
		return limits(s, "number")
	case List:
		list := map[string]any{"type": "array", "items": m.shape(*s.Of)}
		if s.Set {
			list["items"].(map[string]any)["minLength"] = 1
			list["uniqueItems"] = true
		}
		return list
	case Map:
		values := map[string]any{"type": "object", "additionalProperties": m.value(*s.Of)}
		if p, ok := patterns[s.Keys]; ok {
			values["propertyNames"] = map[string]any{"pattern": p}
		}
		return values
	case Fixed:
		return m.object(s.Object)
	case Tools:
		name := "default tools"
		if s.Defer {
			name = "tools"
		}
		return reference(name)
	}
	return map[string]any{}
}

// value is what may stand under a free key: there, null is an empty mapping or list and nothing else.
func (m *schemaMaker) value(s Shape) map[string]any {
	made := m.shape(s)
	empty := s.Kind == List || s.Kind == Map || s.Kind == Fixed
	if s.Kind == Fixed {
		for _, k := range s.Object.Keys {
			empty = empty && !k.Required
		}
		empty = empty && s.Object.Any == nil
	}
	if empty {
		return nullable(made)
	}
	return made
}

func (m *schemaMaker) text(s Shape) map[string]any {
	made := map[string]any{"type": "string"}
	switch p, looks := patterns[s.Form]; {
	case s.Words != nil:
		made["enum"] = s.Words
	case s.Form == Toolkit:
		made["anyOf"] = m.toolNames()
	case looks:
		made["pattern"] = p
	}
	return made
}

func limits(s Shape, kind string) map[string]any {
	made := map[string]any{"type": kind}
	switch {
	case s.Min != nil && s.Over:
		made["exclusiveMinimum"] = *s.Min
	case s.Min != nil:
		made["minimum"] = *s.Min
	}
	if s.Max != nil {
		made["maximum"] = *s.Max
	}
	return made
}

func reference(name string) map[string]any {
	return map[string]any{"$ref": "#/definitions/" + strings.ReplaceAll(name, " ", "%20")}
}
