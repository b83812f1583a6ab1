package config

import "maps"

// Values are the settings the file gives, by field. The caller owns the map; it
// is what a digest of a tool's configuration is made from.
func (s Settings) Values() map[string]any { return maps.Clone(s.values) }
