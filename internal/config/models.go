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

// MarshalJSON lists the names, never the values.
func (k Kwargs) MarshalJSON() ([]byte, error) { return fmt.Appendf(nil, "%q", k.String()), nil }

// providers are the names the format knows, scripted being our offline one.
var providers = []string{
	"anthropic", "openai", "azure", "google", "gemini", "ollama", "llama_cpp", "openrouter", "groq", "cerebras", "deepseek",
	"zai", "bedrock_claude", "vertexai_claude", "codex", "openai_codex", "kimi", "kimi_code", "synthetic", "scripted",
}

func (d *decoder) models(n *node) map[string]Model {
	models := map[string]Model{}
	for _, e := range d.entries(n) {
		if e.key == "" {
			d.failAt(e.keyPos, e.value.path, "a model needs a name")
			continue
		}
		models[e.key] = d.model(e.value)
	}
	return models
}

func (d *decoder) model(n *node) Model {
	s := d.section(n, "models.*")
	m := Model{Host: s.text("host", "")}
	if v := s.require("provider"); v != nil {
		m.Provider = d.choice(v, "", providers...)
	}
	if v := s.require("id"); v != nil {
		if m.ID = d.text(v); m.ID == "" && v.tag == "!!str" {
			d.fail(v, "must not be empty")
		}
	}
	if w := s.optionalInt("context_window", 1); w != nil {
		m.ContextWindow = *w
	}
	if v := s.get("extra_kwargs"); v != nil {
		if v.kind != kindMap {
			d.fail(v, "must be a mapping of keys to values")
		} else {
			m.ExtraKwargs, _ = d.free(v).(map[string]any)
		}
	}
	if v := s.get("api_key"); v != nil {
		d.warn(v.pos, v.path, "has no effect; a key belongs into the environment, as ANTHROPIC_API_KEY or OPENAI_API_KEY")
	}
	s.done()
	return m
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
