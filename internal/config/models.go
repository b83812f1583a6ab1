package config

import (
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"mindroom/internal/secret"
)

// Model is one named language model.
type Model struct {
	Provider      string // one of the format's providers; whether this build can drive it, the model registry says
	ID            string // the provider's own name for the model; never empty
	Host          string // base address; empty: the provider's own
	ContextWindow int    // tokens; 0: unknown
	Images        *bool  // whether it is shown pictures; nil: as its provider's models mostly are
	ExtraKwargs   Kwargs // passed to the provider; nil: nothing
}

// Kwargs are settings for a provider's client: bool, int64, float64, string, nil, []any and map[string]any. They may hold an
// API key, so they print as their names only.
type Kwargs map[string]any

// String lists the names, never the values.
func (k Kwargs) String() string {
	return "{" + strings.Join(slices.Sorted(maps.Keys(k)), ", ") + "}"
}

// GoString lists the names, never the values.
func (k Kwargs) GoString() string { return k.String() }

// LogValue lists the names, never the values.
func (k Kwargs) LogValue() slog.Value { return slog.StringValue(k.String()) }

// Shown are the settings for people: secret.Mark stands where a secret would. The caller owns the map; nil when there are none.
func (k Kwargs) Shown() map[string]any {
	if k == nil {
		return nil
	}
	shown, _ := secret.Default.Tree(map[string]any(k)).(map[string]any)
	return shown
}

// MarshalJSON lists the names, never the values.
func (k Kwargs) MarshalJSON() ([]byte, error) { return fmt.Appendf(nil, "%q", k.String()), nil }

func (d *decoder) models(root *section) map[string]Model {
	models := map[string]Model{}
	for _, m := range root.members("models") {
		one := Model{Provider: m.text("provider"), ID: m.text("id"), Host: m.text("host"), ContextWindow: m.count("context_window"), Images: m.optionalBool("images")}
		if v := m.get("extra_kwargs"); v != nil {
			one.ExtraKwargs, _ = d.free(v).(map[string]any)
		}
		models[m.entry.key] = one
	}
	return models
}

// free reads a value of any shape.
func (d *decoder) free(n *node) any {
	switch n.kind {
	case kindMap:
		m := map[string]any{}
		for _, e := range n.entries {
			m[e.key] = d.free(e.value)
			if text, ok := m[e.key].(string); ok && secret.IsName(e.key) {
				secret.Default.Add(text) // it is used as plain text, so at least no log shows it
			}
		}
		return m
	case kindList:
		list := []any{}
		for _, item := range n.items {
			list = append(list, d.free(item))
		}
		return list
	case kindNull:
		return nil
	}
	switch n.tag {
	case "!!bool":
		v, _ := d.boolean(n)
		return v
	case "!!int":
		v, _ := d.integer(n)
		return v
	case "!!float":
		v, _ := d.number(n)
		return v
	}
	return n.text
}
