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
