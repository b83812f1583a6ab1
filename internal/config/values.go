package config

import (
	"maps"
	"slices"
)

// Values are the settings the file gives, by field, defaults left out; it is what a digest of a tool's configuration is made
// from. The caller owns the map and its lists. nil when the file gives none.
func (s Settings) Values() map[string]any {
	values := maps.Clone(s.values)
	for name, v := range values {
		if list, ok := v.([]string); ok {
			values[name] = slices.Clone(list)
		}
	}
	return values
}

// All are the settings in force, by field: what the file gives, else the toolkit's default. The caller owns the map and its lists.
func (s Settings) All() map[string]any {
	all := map[string]any{}
	for _, f := range s.fields {
		all[f.Name] = f.Default
	}
	maps.Copy(all, s.Values())
	return all
}
