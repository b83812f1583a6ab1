package config

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// catalog is a Catalog of a few toolkits, declared as the real ones are.
type catalog map[string][]Field

func (c catalog) Names() []string {
	var names []string
	for name := range c {
		names = append(names, name)
	}
	return names
}

func (c catalog) Fields(toolkit string) ([]Field, bool) {
	fields, ok := c[toolkit]
	return fields, ok
}

// toolkits is the catalog of most tests. It has no scheduler and no dynamic_tools.
func toolkits() catalog {
	return catalog{
		"script": {
			{Name: "allowed_tools", Kind: KindStrings},
			{Name: "max_concurrent_runs", Kind: KindInt, Default: int64(3), Min: Bound(1), Max: Bound(1000)},
			{Name: "max_tool_calls_per_minute", Kind: KindInt, Default: int64(30), Min: Bound(1)},
			{Name: "max_runtime_hours", Kind: KindNumber, Default: 24.0, Check: func(v any) error {
				if h := v.(float64); h <= 0 || math.IsInf(h, 0) {
					return fmt.Errorf("must be greater than 0")
				}
				return nil
			}},
		},
		"website":        {{Name: "user_agent", Kind: KindString, Default: "mindroom"}, {Name: "follow", Kind: KindBool, Default: true}},
		"matrix_message": {},
		"attachments":    {},
		"delegate":       {},
		"shell":          {},
		"file":           {},
		"memory":         {},
		"browser":        {},
	}
}

// with returns the catalog with more toolkits that declare nothing.
func (c catalog) with(names ...string) catalog {
	for _, name := range names {
		c[name] = nil
	}
	return c
}

// mustParse loads text that has no fault.
func mustParse(t *testing.T, c Catalog, text string) (*Config, Warnings) {
	t.Helper()
	cfg, warnings, err := Parse("/etc/mindroom/config.yaml", []byte(text), c, Env{})
	if err != nil {
		t.Fatalf("refused:\n%v", err)
	}
	return cfg, warnings
}

// toolNames lists names with their origins.
func toolNames(entries []ToolEntry) []string {
	var names []string
	for _, e := range entries {
		names = append(names, e.Name+" "+string(e.Origin))
	}
	return slices.Clip(names)
}

// minimal is a file without fault or warning, to which tests append sections.
const minimal = `models: {default: {provider: scripted, id: demo}}
agents: {watcher: {display_name: Watcher, rooms: [operations]}}
authorization: {default_room_access: true}
`
