package config

import (
	"fmt"
	"maps"
	"slices"
)

// inherit as an agent's override takes back what defaults.tools set, leaving the toolkit's own default.
const inherit = "__MINDROOM_INHERIT__"

// Settings is one toolkit's inline settings on one agent: typed, checked, read only. Reading a field the toolkit did not
// declare, or with the accessor of another kind, panics: it is a slip in the toolkit, which its first test meets.
// The zero Settings declares nothing.
type Settings struct {
	fields []Field
	values map[string]any // only what the file sets
	taken  map[string]bool
}

// NewSettings makes settings as the file would, from values of the kinds' Go types; for toolkits' tests.
// It fails on an undeclared field, a wrong type, or what the field's rules refuse.
func NewSettings(fields []Field, values map[string]any) (Settings, error) {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		i := slices.IndexFunc(fields, func(f Field) bool { return f.Name == name })
		if i < 0 {
			return Settings{}, fmt.Errorf("the toolkit declares no field %q", name)
		}
		if err := fields[i].check(values[name]); err != nil {
			return Settings{}, fmt.Errorf("%s: %w", name, err)
		}
	}
	return Settings{fields: fields, values: maps.Clone(values)}, nil
}

// Bool reads a field of KindBool.
func (s Settings) Bool(name string) bool { return value[bool](s, name, KindBool) }

// Int reads a field of KindInt.
func (s Settings) Int(name string) int64 { return value[int64](s, name, KindInt) }

// Number reads a field of KindNumber.
func (s Settings) Number(name string) float64 { return value[float64](s, name, KindNumber) }

// String reads a field of KindString.
func (s Settings) String(name string) string { return value[string](s, name, KindString) }

// Strings reads a field of KindStrings. The caller owns the result; nil only if the default is nil.
func (s Settings) Strings(name string) []string {
	return slices.Clone(value[[]string](s, name, KindStrings))
}

func value[T any](s Settings, name string, kind FieldKind) T {
	i := slices.IndexFunc(s.fields, func(f Field) bool { return f.Name == name })
	if i < 0 || s.fields[i].Kind != kind {
		panic(fmt.Sprintf("config: no field %q of kind %s is declared", name, kind))
	}
	var zero T
	v, set := s.values[name]
	if !set {
		v = s.fields[i].Default
	}
	if v == nil {
		return zero
	}
	t, ok := v.(T)
	if !ok {
		panic(fmt.Sprintf("config: field %q of kind %s holds a %T", name, kind, v))
	}
	return t
}

// over lays s over base, the weaker.
func (s Settings) over(base Settings) Settings {
	merged := maps.Clone(base.values)
	if merged == nil {
		merged = map[string]any{}
	}
	for name := range s.taken {
		delete(merged, name)
	}
	maps.Copy(merged, s.values)
	return Settings{fields: s.fields, values: merged}
}

// check holds a typed value against the field's rules.
func (f Field) check(v any) error {
	var n float64
	ok := false
	switch f.Kind {
	case KindBool:
		_, ok = v.(bool)
	case KindInt:
		var i int64
		i, ok = v.(int64)
		n = float64(i)
	case KindNumber:
		n, ok = v.(float64)
	case KindString:
		_, ok = v.(string)
	case KindStrings:
		_, ok = v.([]string)
	}
	switch {
	case !ok:
		return fmt.Errorf("a %T does not fit a field of kind %s", v, f.Kind)
	case f.Min != nil && n < *f.Min:
		return fmt.Errorf("must be at least %v", *f.Min)
	case f.Max != nil && n > *f.Max:
		return fmt.Errorf("must be at most %v", *f.Max)
	case f.Check != nil:
		return f.Check(v)
	}
	return nil
}
