package format

import "slices"

// tools is the schema of a tools list. A list that an agent has may defer; that of the defaults may not.
func (m *schemaMaker) tools(deferral bool) map[string]any {
	settings := "settings "
	if deferral {
		settings = "deferrable "
	}
	short, then := map[string]any{}, []any{}
	for _, t := range m.toolkits {
		short[t.Name] = nullable(reference(settings + t.Name))
		then = append(then, map[string]any{
			"if":   map[string]any{"properties": map[string]any{"name": map[string]any{"const": t.Name}}},
			"then": map[string]any{"properties": map[string]any{"overrides": nullable(reference("settings " + t.Name))}},
		})
	}
	for _, name := range Presets() {
		short[name] = map[string]any{"type": "null"}
	}
	for _, name := range KnownToolkits() {
		if short[name] == nil {
			short[name] = map[string]any{"type": []string{"object", "null"}, "description": "A toolkit of the format (" + NotYet + ")."}
		}
	}
	servers := map[string]any{ServerToolkitPattern: map[string]any{"type": []string{"object", "null"}}}
	long := m.object(toolEntry)
	properties := long["properties"].(map[string]any)
	properties["name"] = map[string]any{"type": "string", "anyOf": m.toolNames(), "description": toolEntry.Find("name").Doc}
	if !deferral {
		for _, k := range ToolDeferral() {
			delete(properties, k.Name)
		}
	}
	if len(then) > 0 {
		long["allOf"] = then
	}
	return map[string]any{"type": "array", "items": map[string]any{"anyOf": []any{
		map[string]any{"type": "string", "anyOf": m.toolNames()},
		map[string]any{"type": "object", "properties": short, "patternProperties": servers, "additionalProperties": false, "minProperties": 1, "maxProperties": 1},
		long,
	}}}
}

// toolNames are the toolkits of this build, the others of the format, and the looks of those that a file's own servers make. An editor
// offers the first.
func (m *schemaMaker) toolNames() []any {
	others := slices.DeleteFunc(KnownToolkits(), func(name string) bool { return slices.Contains(m.names, name) })
	return []any{map[string]any{"enum": m.names}, map[string]any{"enum": append(others, Presets()...)}, map[string]any{"pattern": ServerToolkitPattern}}
}

func nullable(s map[string]any) map[string]any {
	return map[string]any{"anyOf": []any{s, map[string]any{"type": "null"}}}
}
