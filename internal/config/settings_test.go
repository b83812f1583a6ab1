package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var everyKind = []Field{
	{Name: "on", Kind: KindBool, Default: true},
	{Name: "count", Kind: KindInt, Default: int64(3), Min: Bound(1), Max: Bound(9)},
	{Name: "ratio", Kind: KindNumber, Default: 0.5},
	{Name: "text", Kind: KindString, Default: "x"},
	{Name: "list", Kind: KindStrings, Default: []string{"a"}},
	{Name: "bare", Kind: KindInt},
}

func TestSettingsDefaultsAndValues(t *testing.T) {
	t.Parallel()
	s, err := NewSettings(everyKind, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !s.Bool("on") || s.Int("count") != 3 || s.Number("ratio") != 0.5 || s.String("text") != "x" || s.Int("bare") != 0 {
		t.Error("defaults do not shine through")
	}
	s, err = NewSettings(everyKind, map[string]any{"on": false, "count": int64(9), "ratio": 2.0, "text": "", "list": []string{}})
	if err != nil {
		t.Fatal(err)
	}
	if s.Bool("on") || s.Int("count") != 9 || s.Number("ratio") != 2 || s.String("text") != "" || len(s.Strings("list")) != 0 {
		t.Error("values do not win over defaults")
	}
}

func TestSettingsListIsACopy(t *testing.T) {
	t.Parallel()
	s, _ := NewSettings(everyKind, nil)
	s.Strings("list")[0] = "changed"
	if diff := cmp.Diff([]string{"a"}, s.Strings("list")); diff != "" {
		t.Error(diff)
	}
}

func TestNewSettingsRefuses(t *testing.T) {
	t.Parallel()
	for name, values := range map[string]map[string]any{
		"declares no field":      {"nothing": 1},
		"does not fit":           {"count": 3},
		"must be at most 9":      {"count": int64(10)},
		"must be at least 1":     {"count": int64(0)},
		"a string does not fit":  {"list": "a"},
		"a float64 does not fit": {"bare": 1.0},
	} {
		if _, err := NewSettings(everyKind, values); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%v: got %v, want %q", values, err, name)
		}
	}
}

func TestSettingsMisuseIsLoud(t *testing.T) {
	t.Parallel()
	s, _ := NewSettings(append(everyKind, Field{Name: "wrong", Kind: KindInt, Default: 3}), nil)
	for name, read := range map[string]func(){
		"undeclared":    func() { s.Int("nothing") },
		"other kind":    func() { s.Int("text") },
		"wrong default": func() { s.Int("wrong") },
	} {
		if !panics(read) {
			t.Errorf("%s: no panic", name)
		}
	}
}

func panics(f func()) (did bool) {
	defer func() { did = recover() != nil }()
	f()
	return false
}

// Every setting of every kind is read typed from the file.
func TestSettingsFromFile(t *testing.T) {
	t.Parallel()
	c, _ := mustParse(t, catalog{"kinds": everyKind}, "models: {default: {provider: scripted, id: demo}}\nagents:\n  a:\n    display_name: A\n"+
		"    tools: [{kinds: {on: no, count: 9, ratio: 1, text: '7', list: [x, y], bare: -2}}]\n")
	s := c.EffectiveTools("a")[0].Settings
	if s.Bool("on") || s.Int("count") != 9 || s.Number("ratio") != 1 || s.String("text") != "7" || s.Int("bare") != -2 {
		t.Errorf("%+v", s)
	}
	if diff := cmp.Diff([]string{"x", "y"}, s.Strings("list")); diff != "" {
		t.Error(diff)
	}
}

func TestSettingsValuesAreACopy(t *testing.T) {
	t.Parallel()
	s, err := NewSettings(everyKind, map[string]any{"count": int64(4), "list": []string{"x"}})
	if err != nil {
		t.Fatal(err)
	}
	values := s.Values()
	values["count"] = int64(5)
	values["list"].([]string)[0] = "changed"
	if diff := cmp.Diff(map[string]any{"count": int64(4), "list": []string{"x"}}, s.Values()); diff != "" {
		t.Error(diff)
	}
	if (Settings{}).Values() != nil {
		t.Error("no settings have values")
	}
}
